import type { Awaitable, Injections, RetryPolicy, StandardSchema } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";

/** What follows when a worker was lost during an attempt, so that its outcome is unknown. */
export type OnUnknown = "retry" | "check" | "manual";

/** Work of a step, without the types of its program. */
export interface Work {
  /** Does the work, and returns its output; its arguments are the context, the transaction of a `tx` step, and the dependencies. */
  readonly run: (context: never, ...more: never[]) => Awaitable<unknown>;
  /** Undoes the work, whose output is `undefined` when no attempt has succeeded; `null` when there is nothing to undo. */
  readonly undo: ((context: never, output: never, ...more: never[]) => Awaitable<unknown>) | null;
  /** Returns the output of work whose outcome is unknown, `null` for work that did not happen. */
  readonly check:
    | ((context: never, dependencies: never) => Awaitable<{ readonly output: unknown } | null>)
    | null;
  /** What follows when a worker was lost during an attempt. */
  readonly onUnknown: OnUnknown;
  /** Its absent fields, or all with `null`, are those of the configuration. */
  readonly retry: ConfigInput<RetryPolicy> | null;
  /** `null`: that of the configuration. */
  readonly timeoutMs: number | null;
  /** Dependencies of the functions, as their last argument. */
  readonly inject: Injections | undefined;
}

/** One of the works of a step that run side by side; the name is empty when there is only one. */
export interface Branch extends Work {
  /** Name within the step. */
  readonly name: string;
}

/** A condition of `when`. */
export type Condition = (context: never) => boolean;

interface Named {
  /** Name within the saga. */
  readonly name: string;
  /** The step is skipped unless all hold; they are asked when it is reached, and never once it has begun. */
  readonly conditions: readonly Condition[];
}

/** Work inside the transaction that records it. */
export interface TxStep extends Named {
  /** Tells the kinds of steps apart. */
  readonly kind: "tx";
  /** The work of the step. */
  readonly branches: readonly [Branch];
}

/** Work outside the database. */
export interface CallStep extends Named {
  /** Tells the kinds of steps apart. */
  readonly kind: "call";
  /** The works of the step, which run side by side. */
  readonly branches: readonly Branch[];
}

/** A message or event that the saga waits for. */
export interface WaitStep extends Named {
  /** Tells the kinds of steps apart. */
  readonly kind: "wait";
  /** Longest wait, in milliseconds. */
  readonly timeoutMs: number;
  /** Schema of the message; `undefined` accepts any data. */
  readonly schema: StandardSchema | undefined;
}

/** A pause. */
export interface SleepStep extends Named {
  /** Tells the kinds of steps apart. */
  readonly kind: "sleep";
  /** Length of the pause, in milliseconds. */
  readonly ms: number;
}

/** The point of no return. */
export interface PivotStep extends Named {
  /** Tells the kinds of steps apart. */
  readonly kind: "pivot";
}

/** A step of a saga, as data. */
export type Step = TxStep | CallStep | WaitStep | SleepStep | PivotStep;

/** Steps with work to run and undo. */
export const branchesOf = (step: Step): readonly Branch[] =>
  step.kind === "tx" || step.kind === "call" ? step.branches : [];
