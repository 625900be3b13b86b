import type { Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import type { RunTransaction } from "../store/run-transaction.ts";
import type { MessageSender } from "../definition/send-work.ts";
import type { Insight } from "../insight/insight.ts";
import type { SagaStore } from "../store/saga-store.ts";
import type { FailureClass } from "./failure-class.ts";
import type { StepScopes } from "./step-calls.ts";

/** Limits of all sagas. */
export interface RunLimits {
  /** Maximum number of attempts at a step after the first one. */
  readonly maxRetries: number;
  /** Limit of all forward steps in total, in milliseconds of active time. */
  readonly timeoutMs: number;
  /** Time limit of one attempt, in milliseconds. */
  readonly stepTimeoutMs: number;
  /** Maximum active time for retries of undos, in milliseconds. */
  readonly undoTimeoutMs: number;
}

/** Dependencies of `runInstance`. */
export interface RunnerParts {
  readonly store: SagaStore;
  /** Runs the short transactions that record outcomes. */
  readonly transaction: RunTransaction;
  readonly clock: Clock;
  /** Returns random numbers from 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  readonly limits: RunLimits;
  readonly classOf: (error: unknown) => FailureClass;
  readonly sender: () => MessageSender | null;
  readonly scopes: StepScopes;
  readonly insight: Insight;
  readonly log: () => Logger;
}
