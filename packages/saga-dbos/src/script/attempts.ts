import {
  attemptAt,
  type Branch,
  branchAt,
  type BranchState,
  branchesOf,
  type CallStep,
  failureText,
  isSettled,
  workersLost,
  MAX_LOST_WORKERS,
  stepLabel,
  type TxStep,
} from "@framework/saga/feature";
import type { AttemptResult, FailedAttempt, Script } from "./effect.ts";
import { fail, finishStep } from "./finish-step.ts";
import { pause } from "./inputs.ts";
import type { Progress } from "./progress.ts";

/** A branch with the result of its attempt. */
interface BranchResult {
  readonly branch: Branch;
  readonly state: BranchState;
  readonly result: AttemptResult;
}
type FailedBranch = BranchResult & { readonly result: FailedAttempt };

/** Runs the unfinished branches of a step concurrently. */
export const runAttempts = function* (saga: Progress, step: TxStep | CallStep): Script<void> {
  const { position } = saga.saga;
  const open = branchesOf(step).filter(({ name }) => !isSettled(saga.saga, position, name));
  const before = open.map(({ name }) => branchAt(saga.saga, position, name));
  const states = open.map(({ name }) => attemptAt(saga.saga, position, name));
  saga.begin(states);
  const attempts = open.map((branch, at) => {
    const attempt = states[at]?.attempts ?? 1;
    const name = saga.nextEffectName(`${stepLabel(step, branch)}, attempt ${attempt}`);
    return {
      name,
      step,
      branch,
      attempt,
      isUndo: false,
      mayHaveRun: before[at]?.status === "started",
      saga: saga.saga,
      atMostMs: saga.remainingMs,
      output: null,
    };
  });
  const results = (yield { kind: "attempts", attempts }) as readonly AttemptResult[];
  saga.activeMs += Math.max(0, ...results.map(({ ms }) => ms));
  const branchResults = open.map((branch, at): BranchResult => ({
    branch,
    state: states[at] as BranchState,
    result: results[at] as AttemptResult,
  }));
  yield* settle(saga, step, branchResults);
};

const settle = function* (
  saga: Progress,
  step: TxStep | CallStep,
  branchResults: readonly BranchResult[],
): Script<void> {
  const branches = branchResults.map(stateAfter);
  const failures = branchResults.filter(
    (each): each is FailedBranch => each.result.end !== "done" && each.result.end !== "lost",
  );
  const isLost = branchResults.some(({ result }) => result.end === "lost");
  if (!isLost) saga.losses = 0;
  const { position } = saga.saga;
  if (failures.length === 0 && !isLost)
    return yield* finishStep(saga, { position: position + 1, step: step.name, done: branches });
  const broken = failures.find(({ result }) => result.end === "bug" || result.end === "unknown");
  if (broken !== undefined) {
    const label = stepLabel(step, broken.branch);
    return saga.change({ event: "pause", step: label, error: broken.result.error, branches });
  }
  const final = failures.find(({ result }) => result.isOver);
  if (final !== undefined) return fail(saga, stepLabel(step, final.branch), final.result.error, branches);
  if (isLost && !saga.countLoss()) {
    const error = failureText(workersLost(MAX_LOST_WORKERS));
    return saga.change({ event: "pause", step: null, error, branches });
  }
  if (failures.length > 0) return yield* scheduleRetry(saga, step, failures, branches);
  saga.begin(branches); // inputs are read before the next attempt
};

/** Schedules another attempt. Failures of the infrastructure do not count and have no entry in the timeline. */
const scheduleRetry = function* (
  saga: Progress,
  step: TxStep | CallStep,
  failures: readonly FailedBranch[],
  branches: readonly BranchState[],
): Script<void> {
  const counted = failures.find(({ result }) => result.end !== "machinery");
  if (counted === undefined) saga.begin(branches);
  else {
    const { message = null } = JSON.parse(counted.result.error) as { readonly message?: string };
    saga.change({ event: "again", step: stepLabel(step, counted.branch), note: message, branches });
  }
  const longest = Math.max(...failures.map(({ result }) => result.delayMs));
  const delayMs = counted === undefined ? longest : Math.max(0, Math.min(longest, saga.remainingMs));
  if ((yield* pause(saga, delayMs)) && counted !== undefined) saga.activeMs += delayMs;
};

const stateAfter = ({ state, result }: BranchResult): BranchState => {
  if (result.end === "done") return { ...state, status: "done", output: result.output, error: null };
  if (result.end === "machinery" || result.end === "lost") return state;
  const { error, isOver } = result;
  const output = result.output ?? state.output; // keep the output of an earlier attempt, which took effect
  if (result.isUnknown) return { ...state, attempts: state.attempts + (isOver ? 0 : 1), output, error };
  return { ...state, status: isOver ? "failed" : "retrying", output, error };
};
