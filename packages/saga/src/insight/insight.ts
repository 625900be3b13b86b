import type { Operations } from "@framework/core/feature";

/** Outcome of an attempt at a step or its undo. */
export type AttemptEnd = "done" | "reject" | "transient" | "bug" | "machinery";

/** An attempt, as reported to traces. */
export interface ObservedAttempt {
  /** Name of the saga. */
  readonly saga: string;
  /** Id of the instance. */
  readonly id: string;
  /** Name of the step, and of the branch if it has several. */
  readonly step: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Whether the attempt undoes the step. */
  readonly isUndo: boolean;
  /** `traceparent` of the operation that started the saga; `null` if there is none. */
  readonly trace: string | null;
}

/** Counts attempts and reports them to traces. */
export interface Insight {
  /** Runs attempts as operations of the app, which tracers observe. */
  readonly operations: Pick<Operations<ObservedAttempt>, "run">;
  /** Counts an attempt by its result. */
  countAttempt(saga: string, end: AttemptEnd): void;
  /** Returns the current `traceparent`; `undefined` outside a trace. */
  trace(): string | undefined;
}

/** Insight of a runner outside an app. */
export const noInsight: Insight = {
  operations: { run: (input, work) => work(input) },
  countAttempt() {},
  trace: () => undefined,
};
