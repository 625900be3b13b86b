import type { Transaction } from "@framework/database";
import type { StepContext } from "../definition/context.ts";
import { workersLost } from "../errors/saga-errors.ts";
import { MAX_LOST_WORKERS } from "../limits.ts";
import type { Change } from "../store/change.ts";
import type { BranchState } from "../store/instance.ts";
import { valueIn } from "../store/json-value.ts";
import { contextPerRun } from "./context-per-run.ts";
import { undoRetry } from "./retries.ts";
import { failureText, stepLabel, type SagaRun } from "./saga-run.ts";
import { undoStep } from "./step-calls.ts";
import { undoPlan, type UndoTarget } from "./undo-plan.ts";

/** Undoes the next branch of an instance that is being compensated. Returns whether the run continues. */
export const undoNext = async (run: SagaRun): Promise<boolean> => {
  const plan = undoPlan(run.definition, run.saga);
  const [first] = plan;
  if (first === undefined) {
    await run.commit({ event: "restore", wait: null }, (tx) => run.claim.end(tx));
    return false;
  }
  if (run.claim.attempt > MAX_LOST_WORKERS) {
    const step = stepLabel(first.step, first.branch);
    return await giveUp(run, step, workersLost(run.claim.attempt - 1));
  }
  const isLast = plan.length === 1;
  try {
    await (first.step.kind === "tx" ? undoInTransaction(run, first, isLast) : undoCall(run, first, isLast));
    run.parts.insight.countAttempt(run.saga.name, "done");
    return !isLast;
  } catch (error) {
    const kind = run.classifyAndCount(error);
    if (kind === "machinery") throw error;
    return await recordUndoFailure(run, first, error, kind === "bug");
  }
};

const undoCall = async (run: SagaRun, undoing: UndoTarget, isLast: boolean): Promise<void> => {
  const { step, branch, state } = undoing;
  const attempt = state.undoAttempts + 1;
  await run.attempt({ step, branch, attempt, isUndo: true }, (context) =>
    undoOnce(run, undoing, context, null),
  );
  await run.commit(undoneChange(undoing, isLast), isLast ? (tx) => run.claim.end(tx) : undefined);
};

const undoInTransaction = async (run: SagaRun, undoing: UndoTarget, isLast: boolean): Promise<void> => {
  const { step, branch, state } = undoing;
  const attempt = state.undoAttempts + 1;
  const inTransaction = (context: StepContext, signal: AbortSignal) => {
    const contextOfRun = contextPerRun(run, context);
    return run.parts.store.db.transaction(
      async (tx: Transaction) => {
        await undoOnce(run, undoing, contextOfRun(), tx);
        const changed = await run.change(tx, undoneChange(undoing, isLast));
        if (isLast) await run.claim.end(tx);
        return changed;
      },
      { signal },
    );
  };
  run.saga = await run.attempt({ step, branch, attempt, isUndo: true }, inTransaction);
};

const undoOnce = (
  { parts, saga }: SagaRun,
  { step, branch, state }: UndoTarget,
  context: StepContext,
  tx: Transaction | null,
): Promise<void> =>
  undoStep(parts.scopes, { saga: saga.name, step, branch, context }, valueIn(state.output), tx);

const undoneChange = ({ step, branch, state }: UndoTarget, isLast: boolean): Change => ({
  event: isLast ? "restore" : "undo",
  step: stepLabel(step, branch),
  branches: [{ ...state, status: "undone", undoAttempts: state.undoAttempts + 1 }],
  wait: null,
});

/** Schedules another attempt, or gives up: immediately for a programming error, which another attempt would repeat. */
const recordUndoFailure = async (
  run: SagaRun,
  { step, branch, state }: UndoTarget,
  error: unknown,
  isBug: boolean,
): Promise<boolean> => {
  const { saga, claim, parts } = run;
  const failed: BranchState = { ...state, undoAttempts: state.undoAttempts + 1, error: failureText(error) };
  const label = stepLabel(step, branch);
  const hasTimedOut = saga.undoSince !== null && run.activeMs - saga.undoSince >= parts.limits.undoTimeoutMs;
  if (isBug || hasTimedOut) return await giveUp(run, label, error, [failed]);
  const delayMs = run.delayMs(undoRetry, Math.min(failed.undoAttempts, undoRetry.attempts));
  const activeMs = run.activeMs + delayMs;
  const change = { step: label, branches: [failed], error: failed.error, activeMs } as const;
  await run.commit({ ...change, event: "undoAgain" }, (tx) => claim.again(tx, delayMs));
  return false;
};

/** Records that the saga is stuck and needs an operator. */
const giveUp = async (
  run: SagaRun,
  step: string,
  error: unknown,
  branches: readonly BranchState[] = [],
): Promise<boolean> => {
  const { id, name } = run.saga;
  run.parts.log().error(`saga: "${name}" is stuck: an undo gave up`, { id, step, error });
  const change = { event: "giveUp", step, branches, error: failureText(error) } as const;
  await run.commit(change, (tx) => run.claim.end(tx));
  return false;
};
