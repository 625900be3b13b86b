import type { Awaitable, RetryPolicy, StandardSchema } from "@framework/core";

/** What follows when a worker was lost during an attempt, so that its outcome is unknown. */
export type OnUnknown = "retry" | "check" | "manual";

/** Work of a step, without the types of its program. */
export interface Work {
  readonly run: (context: never, tx: never) => Awaitable<unknown>;
  readonly undo: ((context: never, output: never, tx: never) => Awaitable<unknown>) | null;
  readonly check: ((context: never) => Awaitable<{ readonly output: unknown } | null>) | null;
  readonly onUnknown: OnUnknown;
  /** `null`: that of the configuration. */
  readonly retry: RetryPolicy | null;
  /** `null`: that of the configuration. */
  readonly timeoutMs: number | null;
}

/** One of the works of a step that run side by side; the name is empty when there is only one. */
export interface Branch extends Work {
  readonly name: string;
}

/** A condition of `when`. */
export type Condition = (context: never) => boolean;

interface Named {
  readonly name: string;
  /** The step is skipped unless all hold; they are asked when it is reached. */
  readonly conditions: readonly Condition[];
}

/** Work inside the transaction that records it. */
export interface TxStep extends Named {
  readonly kind: "tx";
  readonly branches: readonly [Branch];
}

/** Work outside the database. */
export interface CallStep extends Named {
  readonly kind: "call";
  readonly branches: readonly Branch[];
}

/** A message or event that the saga waits for. */
export interface WaitStep extends Named {
  readonly kind: "wait";
  readonly timeoutMs: number;
  readonly schema: StandardSchema | undefined;
}

/** A pause. */
export interface SleepStep extends Named {
  readonly kind: "sleep";
  readonly ms: number;
}

/** The point of no return. */
export interface PivotStep extends Named {
  readonly kind: "pivot";
}

/** A step of a saga, as data. */
export type Step = TxStep | CallStep | WaitStep | SleepStep | PivotStep;

/** Steps with work to run and undo. */
export const branchesOf = (step: Step): readonly Branch[] =>
  step.kind === "tx" || step.kind === "call" ? step.branches : [];
