import {
  type BranchState,
  type Change,
  failureText,
  workersLost,
  MAX_LOST_WORKERS,
  stepLabel,
  type UndoTarget,
  undoPlan,
} from "@framework/saga/feature";
import type { AttemptResult, FailedAttempt, Script } from "./effect.ts";
import { pause } from "./inputs.ts";
import type { Progress } from "./progress.ts";

/** Undoes the next branch of a saga that is being compensated. */
export const undoNext = function* (saga: Progress): Script<void> {
  const plan = undoPlan(saga.definition, saga.saga);
  const [first] = plan;
  if (first === undefined) return saga.change({ event: "restore", wait: null });
  const { step, branch, state } = first;
  const attempt = state.undoAttempts + 1;
  const planned = {
    name: saga.nextEffectName(`undo ${stepLabel(step, branch)}, attempt ${attempt}`),
    step,
    branch,
    attempt,
    isUndo: true,
    mayHaveRun: false,
    saga: saga.saga,
    atMostMs: Infinity,
    output: state.output,
  };
  const [result] = (yield { kind: "attempts", attempts: [planned] }) as readonly AttemptResult[];
  if (result?.end === "lost") return recordLoss(saga, stepLabel(step, branch));
  saga.losses = 0;
  if (result === undefined || result.end === "done")
    return saga.change(undoneChange(first, plan.length === 1));
  saga.undoMs += result.ms;
  yield* recordUndoFailure(saga, first, result);
};

const undoneChange = ({ step, branch, state }: UndoTarget, isLast: boolean): Change => ({
  event: isLast ? "restore" : "undo",
  step: stepLabel(step, branch),
  branches: [{ ...state, status: "undone", undoAttempts: state.undoAttempts + 1 }],
  wait: null,
});

const recordLoss = (saga: Progress, step: string): void => {
  if (saga.countLoss()) return;
  saga.change({ event: "giveUp", step, error: failureText(workersLost(MAX_LOST_WORKERS)) });
};

/** Schedules another attempt, or gives up: immediately for a programming error, which another attempt would repeat. */
const recordUndoFailure = function* (
  saga: Progress,
  { step, branch, state }: UndoTarget,
  { end, error, delayMs }: FailedAttempt,
): Script<void> {
  if (end === "machinery") return void (yield* pause(saga, delayMs));
  const failed: BranchState = { ...state, undoAttempts: state.undoAttempts + 1, error };
  const change = { step: stepLabel(step, branch), branches: [failed], error } as const;
  if (end === "bug" || saga.undoMs >= saga.limits.undoTimeoutMs)
    return saga.change({ ...change, event: "giveUp" });
  saga.change({ ...change, event: "undoAgain" });
  if (yield* pause(saga, delayMs)) saga.undoMs += delayMs;
};
