import type { Awaitable, Injections, RetryPolicy, StandardSchema } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";

/** Action after a worker was lost during an attempt, whose outcome is then unknown. */
export type OnUnknown = "retry" | "check" | "manual";

/** Functions and limits of a step, untyped. */
export interface Work {
  /** Does the work and returns its output. Its arguments are the context, the transaction of a `tx` step, and the dependencies. */
  readonly run: (context: never, ...more: never[]) => Awaitable<unknown>;
  /** Undoes the work; the output is `undefined` if no attempt has succeeded. `null` if there is nothing to undo. */
  readonly undo: ((context: never, output: never, ...more: never[]) => Awaitable<unknown>) | null;
  /** Returns the output of work whose outcome is unknown; resolves to `null` if the work did not take effect. */
  readonly check:
    | ((context: never, dependencies: never) => Awaitable<{ readonly output: unknown } | null>)
    | null;
  /** Action after a worker was lost during an attempt. */
  readonly onUnknown: OnUnknown;
  /** Retry policy; absent fields, or with `null` all fields, have the values of the configuration. */
  readonly retry: ConfigInput<RetryPolicy> | null;
  /** Time limit of one attempt; `null` for the limit of the configuration. */
  readonly timeoutMs: number | null;
  /** Dependencies of the functions, as their last argument. */
  readonly inject: Injections | undefined;
}

/** One of the concurrent functions of a step, with its options; the name is empty if there is only one. */
export interface Branch extends Work {
  /** Name within the step. */
  readonly name: string;
}

/** A condition of `when`. */
export type Condition = (context: never) => boolean;

interface StepHead {
  /** Name within the saga. */
  readonly name: string;
  /** The step is skipped unless all of them hold. They are evaluated when the step is reached, and never after it has begun. */
  readonly conditions: readonly Condition[];
}

/** Work inside the transaction that records it. */
export interface TxStep extends StepHead {
  /** Kind of the step. */
  readonly kind: "tx";
  /** The work of the step. */
  readonly branches: readonly [Branch];
}

/** Work outside the database. */
export interface CallStep extends StepHead {
  /** Kind of the step. */
  readonly kind: "call";
  /** The concurrent branches of the step. */
  readonly branches: readonly Branch[];
}

/** A wait for a message. */
export interface WaitStep extends StepHead {
  /** Kind of the step. */
  readonly kind: "wait";
  /** Maximum wait, in milliseconds. */
  readonly timeoutMs: number;
  /** Schema of the message; `undefined` accepts any data. */
  readonly schema: StandardSchema | undefined;
}

/** A pause. */
export interface SleepStep extends StepHead {
  /** Kind of the step. */
  readonly kind: "sleep";
  /** Length of the pause, in milliseconds. */
  readonly ms: number;
}

/** The point of no return. */
export interface PivotStep extends StepHead {
  /** Kind of the step. */
  readonly kind: "pivot";
}

/** A step of a saga, as data. */
export type Step = TxStep | CallStep | WaitStep | SleepStep | PivotStep;

/** Returns the branches of a step; none for waits, sleeps and pivots. */
export const branchesOf = (step: Step): readonly Branch[] =>
  step.kind === "tx" || step.kind === "call" ? step.branches : [];
