import { type RetryPolicy, retryDelayMs } from "@framework/core";
import type { Transaction } from "@framework/database";
import { failureOf } from "@framework/durable/feature";
import type { StepContext } from "../definition/context.ts";
import type { AnySaga } from "../definition/definition.ts";
import type { Branch, Step } from "../definition/step.ts";
import { stepTimeout, staleSaga } from "../errors/saga-errors.ts";
import type { Change } from "../store/change.ts";
import type { BranchState, Instance } from "../store/instance.ts";
import { keepOutputs } from "../store/keep-outputs.ts";
import type { RunClaim } from "../run-queue/run-queue.ts";
import { type AttemptParts, stepContext } from "./context-of.ts";
import type { FailureClass } from "./failure-class.ts";
import { retryOf } from "./retries.ts";
import type { RunnerParts } from "./runner-parts.ts";
import { abandonedCall, type AttemptLimits, withinLimit } from "./within-limit.ts";

/** An attempt at a branch, with its time limit. */
export interface BranchAttempt extends Pick<AttemptParts, "step" | "branch" | "attempt" | "isUndo"> {
  /** Time limit in milliseconds, in addition to that of the step. @default none */
  readonly atMostMs?: number;
}

/** State and operations of one run of an instance, from the claim until it waits, ends, or needs a later attempt. */
export class SagaRun {
  readonly parts: RunnerParts;
  readonly definition: AnySaga;
  readonly claim: RunClaim;
  /** The instance, as last written by this worker. */
  saga: Instance;
  private readonly readAt: number;
  private readonly activeMsBefore: number;
  /** Whether an operator has cancelled the saga during this run, whose outcomes are then no longer written. */
  private isCancelled = false;

  constructor(parts: RunnerParts, definition: AnySaga, claim: RunClaim, saga: Instance) {
    this.parts = parts;
    this.definition = definition;
    this.claim = claim;
    this.saga = saga;
    this.readAt = parts.clock.now();
    this.activeMsBefore = saga.activeMs;
  }

  /** Milliseconds since the instance was read, by this process's clock, which measures durations only. */
  private get elapsedMs(): number {
    return this.parts.clock.now() - this.readAt;
  }

  /**
   * Active time of the saga: the durations of its runs and of planned pauses. Time without a claim, such as in a long queue or after the loss of a worker,
   * does not count.
   */
  get activeMs(): number {
    return this.activeMsBefore + Math.ceil(this.elapsedMs);
  }

  /** The database's current time, extrapolated from that of the read. */
  get now(): number {
    return this.saga.now + this.elapsedMs;
  }

  /** Writes a change. If it throws, the transaction must be rolled back. */
  change(tx: Transaction, change: Change): Promise<Instance> {
    return this.parts.store.change(tx, this.saga, { activeMs: this.activeMs, ...change }, this.claim.held);
  }

  /** Writes a change in a separate transaction. @param after ends the claim in the same transaction */
  async commit(change: Change, after?: (tx: Transaction) => Promise<void>): Promise<void> {
    this.saga = await this.parts.transaction(async (tx) => {
      const changed = await this.change(tx, change);
      await after?.(tx);
      return changed;
    });
  }

  /** If the saga was cancelled while its functions were running, stores their outputs for the undos. */
  async keepOutputs(branches: readonly BranchState[]): Promise<void> {
    await this.parts.transaction((tx) => keepOutputs(tx, this.saga.id, branches, this.claim.held));
  }

  /**
   * Runs the step's function for an attempt until its time limit, or until the saga is cancelled. Settles when the function has ended or is abandoned, or at
   * once when the claim is lost.
   */
  attempt<T>(
    { atMostMs = Infinity, ...attemptParts }: BranchAttempt,
    work: (context: StepContext, signal: AbortSignal) => T | PromiseLike<T>,
  ): Promise<T> {
    const { clock, limits, sender, insight, log } = this.parts;
    const { step, branch, attempt, isUndo = false } = attemptParts;
    const timeoutMs = Math.min(branch.timeoutMs ?? limits.stepTimeoutMs, Math.max(atMostMs, 1));
    const { name: saga, id, trace } = this.saga;
    const label = stepLabel(step, branch);
    const limit: AttemptLimits = {
      clock,
      timeoutMs,
      signal: this.claim.signal,
      timeoutError: () => stepTimeout(label, timeoutMs),
      ...(!isUndo && { onStopped: (stop) => this.whenCancelled(stop) }),
      onAbandoned: () => log().warn(abandonedCall(saga, label), { id, attempt, isUndo }),
    };
    return withinLimit(limit, async (signal) => {
      const context = stepContext(this.definition, this.saga, { ...attemptParts, signal, sender: sender() });
      const observed = { saga, id, step: label, attempt, isUndo, trace };
      return (await insight.operations.run(observed, () => work(context, signal) as never)) as T;
    });
  }

  private whenCancelled(stop: (reason: Error) => void): () => void {
    return this.claim.onCancelled(() => {
      this.isCancelled = true;
      stop(staleSaga(this.saga.id));
    });
  }

  /** Classifies the error of an attempt, and counts it. */
  classifyAndCount(error: unknown): FailureClass {
    const kind = this.claim.signal.aborted || this.isCancelled ? "machinery" : this.parts.classOf(error);
    this.parts.insight.countAttempt(this.saga.name, kind);
    return kind;
  }

  /** Returns the attempts and delays of a branch. */
  retryOf(branch: Branch): RetryPolicy {
    return retryOf(branch, this.parts.limits);
  }

  delayMs(policy: RetryPolicy, attempt: number): number {
    return Math.ceil(retryDelayMs(policy, attempt, this.parts.random()));
  }
}

/** Returns the name of a step and its branch, for messages and the timeline. */
export const stepLabel = ({ name }: Pick<Step, "name">, branch: Pick<Branch, "name">): string =>
  branch.name === "" ? name : `${name}/${branch.name}`;

/** Returns the stored form of a failure: JSON without the stack. */
export const failureText = (error: unknown): string => {
  const { name, message, code } = failureOf(error);
  return JSON.stringify({ name, message, code });
};
