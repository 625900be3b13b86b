import { retryDelayMs } from "@framework/core";
import { systemClock } from "@framework/core/feature";
import {
  checkStep,
  type AttemptEnd,
  checkedOutcome,
  contextPerRun,
  doStep,
  type EngineParts,
  failureText,
  jsonValue,
  stepLabel,
  retryOf,
  type StepCall,
  stepContext,
  type StepScopes,
  stepTimeout,
  undoRetry,
  undoStep,
  unknownOutcome,
  valueIn,
  withinLimit,
  abandonedCall,
} from "@framework/saga/feature";
import type { Transaction } from "@framework/database";
import type { AttemptResult, PlannedAttempt } from "../script/effect.ts";
import { onceInTransaction } from "../store/once.ts";
import type { Performer } from "./performer.ts";

/** Pause in milliseconds after a failure of the infrastructure, such as an unavailable database. */
const INFRASTRUCTURE_PAUSE_MS = 1000;

/**
 * Runs one attempt and returns its result, for a DBOS step that records it. Never rejects. If the shutdown of the process interrupts the attempt, the
 * promise never settles: nothing is recorded, and the next process repeats the attempt.
 */
export const runAttempt = async (performer: Performer, planned: PlannedAttempt): Promise<AttemptResult> => {
  const { parts, slots, stopping } = performer;
  const { step, branch, isUndo, saga, mayHaveRun } = planned;
  if (mayHaveRun && branch.onUnknown === "manual") {
    const error = failureText(unknownOutcome(stepLabel(step, branch)));
    return { end: "unknown", error, isOver: true, isUnknown: false, delayMs: 0, ms: 0 };
  }
  const outcome: Outcome = { isUnknown: mayHaveRun && branch.onUnknown === "check", output: null };
  const release = await slots.take(stopping);
  if (release === null) return await interrupted();
  const begun = systemClock.now();
  const ms = (): number => systemClock.now() - begun;
  try {
    const output = await runAsOperation(performer, planned, outcome);
    parts.insight.countAttempt(saga.name, "done");
    return { end: "done", output: isUndo ? null : output, ms: ms() };
  } catch (error) {
    if (stopping.aborted) return await interrupted();
    const end = parts.classOf(error);
    parts.insight.countAttempt(saga.name, end satisfies AttemptEnd);
    if (end === "bug" || end === "machinery")
      parts.log().warn(`saga: "${saga.name}" failed in ${stepLabel(step, branch)}`, { id: saga.id, error });
    return { end, error: failureText(error), ...retryDecision(parts, planned, end), ...outcome, ms: ms() };
  } finally {
    release();
  }
};

/** State of an attempt that its result includes even if the attempt fails. */
interface Outcome {
  /** Whether it is unknown if an earlier attempt took effect, because `check` has not returned. */
  isUnknown: boolean;
  /** Output of a call as JSON, even if it returned after its time limit. */
  output: string | null;
}

/** Never settles, so that DBOS records nothing. */
export const interrupted = (): Promise<never> => new Promise(() => {});

/** Decides by the retry policy of this process whether and when to retry. The decision is recorded. */
const retryDecision = (
  { limits }: EngineParts,
  { branch, attempt, isUndo }: PlannedAttempt,
  end: Exclude<AttemptEnd, "done">,
): { readonly isOver: boolean; readonly delayMs: number } => {
  if (end === "machinery") return { isOver: false, delayMs: INFRASTRUCTURE_PAUSE_MS };
  const policy = isUndo ? undoRetry : retryOf(branch, limits);
  const isOver = !isUndo && (end !== "transient" || attempt >= policy.attempts);
  const delayMs = Math.ceil(retryDelayMs(policy, Math.min(attempt, policy.attempts), Math.random()));
  return { isOver, delayMs };
};

/**
 * Runs the program's function as an operation with a time limit, and returns its output as JSON.
 *
 * @param outcome is updated while the attempt runs
 */
const runAsOperation = (
  { definition, parts, stopping }: Performer,
  planned: PlannedAttempt,
  outcome: Outcome,
): Promise<string | null> => {
  const { step, branch, attempt, isUndo, saga, atMostMs } = planned;
  const { limits, insight, sender, scopes, kernel } = parts;
  const label = stepLabel(step, branch);
  const timeoutMs = Math.min(branch.timeoutMs ?? limits.stepTimeoutMs, Math.max(Math.ceil(atMostMs), 1));
  const timeoutError = (): Error => stepTimeout(label, timeoutMs);
  const onAbandoned = (): void =>
    parts.log().warn(abandonedCall(saga.name, label), { id: saga.id, attempt, isUndo });
  return withinLimit(
    { clock: systemClock, timeoutMs, signal: stopping, timeoutError, onAbandoned },
    async (signal) => {
      const context = stepContext(definition, saga, {
        step,
        branch,
        attempt,
        isUndo,
        signal,
        sender: sender(),
      });
      const operation = { saga: saga.name, id: saga.id, step: label, attempt, isUndo, trace: saga.trace };
      const json = (value: unknown): string | null => jsonValue(value, `the output of "${label}"`);
      const called = { saga: saga.name, step, branch, context };
      const work = async (): Promise<string | null> => {
        if (step.kind === "tx") {
          const contextOfRun = contextPerRun({ definition, saga }, context);
          return await onceInTransaction(
            kernel,
            { saga: saga.id, key: context.idempotencyKey, signal },
            async (tx) => json(await call(scopes, planned, { ...called, context: contextOfRun() }, tx)),
          );
        }
        if (outcome.isUnknown && branch.check !== null) {
          const found = checkedOutcome(await checkStep(scopes, called, branch.check), label);
          if (found !== null) return (outcome.output = json(found.output));
          signal.throwIfAborted(); // after a timeout or during shutdown the work must not run
          outcome.isUnknown = false;
        }
        return (outcome.output = json(await call(scopes, planned, called, null)));
      };
      return (await insight.operations.run(operation, work as never)) as string | null;
    },
  );
};

const call = async (
  scopes: StepScopes,
  { isUndo, output }: PlannedAttempt,
  called: StepCall,
  tx: Transaction | null,
): Promise<unknown> =>
  isUndo ? await undoStep(scopes, called, valueIn(output), tx) : await doStep(scopes, called, tx);
