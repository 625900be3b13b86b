import type { Operations } from "@framework/core/feature";

/** How an attempt at a step or at its undo ended. */
export type AttemptEnd = "done" | "reject" | "transient" | "bug" | "machinery";

/** An attempt as traces see it. */
export interface ObservedAttempt {
  readonly saga: string;
  readonly id: string;
  readonly step: string;
  readonly attempt: number;
  readonly isUndo: boolean;
  /** `traceparent` of the operation that started the saga; `null` without one. */
  readonly trace: string | null;
}

/** Counts attempts, and shows them to traces. */
export interface Insight {
  readonly operations: Pick<Operations<ObservedAttempt>, "run">;
  ended(saga: string, end: AttemptEnd): void;
  /** Returns `traceparent` of the running code; `undefined` outside of a trace. */
  trace(): string | undefined;
}

/** Insight of a runner outside of an app. */
export const noInsight: Insight = {
  operations: { run: (input, work) => work(input) },
  ended() {},
  trace: () => undefined,
};
