import type { Branch, Instance, Step } from "@framework/saga/feature";

/** An attempt requested by the script. */
export interface PlannedAttempt {
  /** Unique in the saga, and the same whenever the script runs again. */
  readonly name: string;
  readonly step: Step;
  readonly branch: Branch;
  readonly attempt: number;
  readonly isUndo: boolean;
  /** Whether an attempt with an unknown outcome has begun. */
  readonly mayHaveRun: boolean;
  /** The instance at the attempt. */
  readonly saga: Instance;
  /** Time limit in milliseconds, in addition to that of the step. */
  readonly atMostMs: number;
  /** For an undo: the output of the step as JSON. */
  readonly output: string | null;
}

/** An effect requested by the script. Every nondeterministic value of the script comes from the record of an effect. */
export type Effect =
  /** Runs attempts concurrently. */
  | { readonly kind: "attempts"; readonly attempts: readonly PlannedAttempt[] }
  /** Evaluates the conditions of a step. */
  | { readonly kind: "conditions"; readonly name: string; readonly step: Step; readonly saga: Instance }
  /** Reads the current time. */
  | { readonly kind: "now"; readonly name: string }
  /** Receives the next input; `null` on timeout. `until`: Unix milliseconds, or 0 to receive only an input that has already arrived. */
  | { readonly kind: "receive"; readonly until: number };

/** Result of an attempt. It includes the decisions that depend on the configuration of the process, so that they are recorded. */
export type AttemptResult =
  | { readonly end: "done"; readonly output: string | null; readonly ms: number }
  /** The process of the attempt was lost, and the attempt has not been repeated. */
  | { readonly end: "lost"; readonly ms: 0 }
  | {
      readonly end: "reject" | "transient" | "bug" | "machinery" | "unknown";
      /** JSON of the failure. */
      readonly error: string;
      /** Whether no further attempt is allowed. */
      readonly isOver: boolean;
      /** Whether it is unknown if an earlier attempt took effect, because `check` has not returned. */
      readonly isUnknown: boolean;
      /** Output as JSON, if the call returned after its time limit. Absent in records of earlier versions. */
      readonly output?: string | null;
      /** Pause before the next attempt. */
      readonly delayMs: number;
      readonly ms: number;
    };

export type FailedAttempt = Exclude<AttemptResult, { readonly end: "done" | "lost" }>;

/** Result of conditions. `isLost`: the process that evaluated them was lost, and they have not been evaluated again. */
export type ConditionsResult =
  | { readonly holds: boolean }
  | { readonly error: string }
  | { readonly isLost: true };

/** A message or an operator decision for a saga. */
export type SagaInput =
  | { readonly kind: "message"; readonly name: string; readonly data: string }
  | {
      readonly kind: "decision";
      readonly verb: "cancel" | "retry" | "skip" | "settle";
      readonly reason: string;
      readonly output: string | null;
      /** Revision of the instance at the decision. */
      readonly revision: number;
    };

/** Result of an effect. */
export type EffectResult = readonly AttemptResult[] | ConditionsResult | number | SagaInput | null;

/** A running saga, as a generator that yields effects and receives their recorded results. */
export type Script<T> = Generator<Effect, T, EffectResult>;
