import type { Branch, Instance, Step } from "@framework/saga/feature";

/** An attempt that the script asks for. */
export interface PlannedAttempt {
  /** Unique in the saga, and the same whenever the script runs again. */
  readonly name: string;
  readonly step: Step;
  readonly branch: Branch;
  readonly attempt: number;
  readonly isUndo: boolean;
  /** Whether an attempt has begun whose outcome nobody knows. */
  readonly mayHaveRun: boolean;
  /** The instance as the attempt sees it. */
  readonly saga: Instance;
  /** Longest time in milliseconds, beside that of the step. */
  readonly atMostMs: number;
  /** The output so far, for an undo: JSON. */
  readonly output: string | null;
}

/** What a script waits for. Everything that is not the same in each run of the script comes from the record of an effect. */
export type Effect =
  /** Attempts side by side. */
  | { readonly kind: "attempts"; readonly attempts: readonly PlannedAttempt[] }
  /** Whether the conditions of a step hold. */
  | { readonly kind: "conditions"; readonly name: string; readonly step: Step; readonly saga: Instance }
  /** The time. */
  | { readonly kind: "now"; readonly name: string }
  /** The next letter; `null` when none came in time. `until`: milliseconds since 1970, or 0 for a letter that is there already. */
  | { readonly kind: "receive"; readonly until: number };

/** How an attempt ended. What depends on the configuration of the process is decided there, and recorded. */
export type AttemptResult =
  | { readonly end: "done"; readonly output: string | null; readonly ms: number }
  /** Its process was lost, and this one has not repeated it. */
  | { readonly end: "lost"; readonly ms: 0 }
  | {
      readonly end: "reject" | "transient" | "bug" | "machinery" | "unknown";
      /** JSON of the failure. */
      readonly error: string;
      /** Whether no other attempt follows. */
      readonly isOver: boolean;
      /** Whether nobody knows yet if an earlier attempt took effect: `check` has not answered. */
      readonly isUnknown: boolean;
      /** JSON of what the call returned, when its time was over by then. Records of earlier versions have none. */
      readonly output?: string | null;
      /** Pause before the next one. */
      readonly delayMs: number;
      readonly ms: number;
    };

export type FailedAttempt = Exclude<AttemptResult, { readonly end: "done" | "lost" }>;

/** What conditions said; `isLost`: the process that asked them was lost, and this one has not asked. */
export type ConditionsResult =
  | { readonly holds: boolean }
  | { readonly error: string }
  | { readonly isLost: true };

/** A message of the program, or a decision of an operator, on its way to an instance. */
export type Letter =
  | { readonly kind: "message"; readonly name: string; readonly data: string }
  | {
      readonly kind: "decision";
      readonly verb: "cancel" | "retry" | "skip" | "settle";
      readonly reason: string;
      readonly output: string | null;
      /** Revision of the instance that the operator saw. */
      readonly revision: number;
    };

/** What the script gets back for an effect. */
export type Answer = readonly AttemptResult[] | ConditionsResult | number | Letter | null;

/** A saga that runs, as a generator: it asks for effects and gets their records. */
export type Script<T> = Generator<Effect, T, Answer>;
