import { failureOf } from "@framework/durable/feature";
import type { Branch, CallStep } from "../definition/step.ts";
import { unknownOutcome } from "../errors/saga-errors.ts";
import { type BranchState, branchAt } from "../store/instance.ts";
import { jsonOrNull, jsonValue } from "../store/json-value.ts";
import { remainingMs } from "./active-time.ts";
import { attemptAt, hasUnknownOutcome, isSettled } from "./arrive.ts";
import { checkedOutcome } from "./checked-outcome.ts";
import type { FailureClass } from "./failure-class.ts";
import { commitStepEnd } from "./finish-step.ts";
import { failureText, stepLabel, type SagaRun } from "./saga-run.ts";
import { checkStep, doStep } from "./step-calls.ts";
import { fail, pause, tryAgain } from "./step-failures.ts";

/** A branch at an attempt. */
interface BranchCall {
  readonly branch: Branch;
  readonly state: BranchState;
  /** Whether an attempt may have taken effect, which must be checked before another one. */
  readonly isUnknown: boolean;
}

/** Result of an attempt at a branch. */
type CallResult = BranchCall & {
  /** Output as JSON; also set for an attempt that failed because its function returned after the time limit. */
  readonly output: string | null;
} & (object | { readonly kind: FailureClass; readonly error: unknown });
type FailedCall = Extract<CallResult, { readonly kind: FailureClass }>;

/** Runs the unfinished branches of a step concurrently, and records all outcomes in one commit. */
export const runCalls = async (run: SagaRun, step: CallStep): Promise<boolean> => {
  const { position } = run.saga;
  const calls = step.branches
    .filter(({ name }) => !isSettled(run.saga, position, name))
    .map((branch) => callOf(run, branch, position));
  const unclear = calls.find(({ isUnknown, branch }) => isUnknown && branch.onUnknown === "manual");
  if (unclear !== undefined) {
    const { branch, state } = unclear;
    const label = stepLabel(step, branch);
    return await pause(run, label, unknownOutcome(label), [{ ...state, status: "failed" }]);
  }
  await recordIntents(run, step, calls);
  const results = await Promise.all(calls.map((call) => callOnce(run, step, call)));
  try {
    return await settle(run, step, results);
  } catch (error) {
    if (failureOf(error).code === "SAGA_STALE") await run.keepOutputs(results.map(stateWithOutput));
    throw error;
  }
};

const callOf = (run: SagaRun, branch: Branch, position: number): BranchCall => {
  const before = branchAt(run.saga, position, branch.name);
  const state = attemptAt(run.saga, position, branch.name);
  return { branch, state, isUnknown: hasUnknownOutcome(branch, before) };
};

/**
 * Records the intents of branches with `check` or `manual` just before the attempt. The intents of branches with `retry` were recorded when the saga advanced
 * to the step.
 */
const recordIntents = async (run: SagaRun, step: CallStep, calls: readonly BranchCall[]): Promise<void> => {
  const { position } = run.saga;
  const open = calls.filter(
    ({ branch, isUnknown }) =>
      !isUnknown && (branch.onUnknown !== "retry" || branchAt(run.saga, position, branch.name) === undefined),
  );
  if (open.length === 0) return;
  await run.commit({ event: "begin", step: step.name, branches: open.map(({ state }) => state) });
};

const callOnce = async (run: SagaRun, step: CallStep, call: BranchCall): Promise<CallResult> => {
  const { branch, state } = call;
  let { isUnknown } = call;
  const branchAttempt = { step, branch, attempt: state.attempts, atMostMs: remainingMs(run) };
  const label = stepLabel(step, branch);
  let returned: unknown;
  try {
    await run.attempt(branchAttempt, async (context, signal) => {
      const { scopes } = run.parts;
      const stepCall = { saga: run.saga.name, step, branch, context };
      if (isUnknown && branch.check !== null) {
        const checkResult = checkedOutcome(await checkStep(scopes, stepCall, branch.check), label);
        if (checkResult !== null) return void (returned = checkResult.output);
        signal.throwIfAborted(); // the attempt has timed out or was taken over: do not run the work
        isUnknown = false;
      }
      returned = await doStep(scopes, stepCall, null);
    });
    const output = jsonValue(returned, `the output of "${label}"`);
    run.parts.insight.countAttempt(run.saga.name, "done");
    return { ...call, output };
  } catch (error) {
    return { ...call, isUnknown, kind: run.classifyAndCount(error), error, output: jsonOrNull(returned) };
  }
};

/** Records all outcomes. Branches that have succeeded do not run again. */
const settle = async (run: SagaRun, step: CallStep, results: readonly CallResult[]): Promise<boolean> => {
  const failures = results.filter((each): each is FailedCall => "kind" in each);
  const infrastructureFailure = failures.find(({ kind }) => kind === "machinery");
  if (infrastructureFailure !== undefined) throw infrastructureFailure.error;
  const branches = results.map((each) => stateAfter(run, each));
  const { position } = run.saga;
  if (failures.length === 0)
    return await commitStepEnd(run, { position: position + 1, step: step.name, done: branches });
  const bug = failures.find(({ kind }) => kind === "bug");
  if (bug !== undefined) return await pause(run, stepLabel(step, bug.branch), bug.error, branches);
  const final = failures.find((each) => hasFailed(run, each));
  if (final !== undefined) return await fail(run, stepLabel(step, final.branch), final.error, branches);
  const delays = failures.map(({ branch, state }) => run.delayMs(run.retryOf(branch), state.attempts));
  const [{ error, branch } = failures[0] as FailedCall] = failures;
  return await tryAgain(run, stepLabel(step, branch), error, { branches, delayMs: Math.max(...delays) });
};

const hasFailed = (run: SagaRun, { kind, branch, state }: FailedCall): boolean =>
  kind !== "transient" || state.attempts >= run.retryOf(branch).attempts;

const stateAfter = (run: SagaRun, each: CallResult): BranchState => {
  const state = stateWithOutput(each);
  if (!("kind" in each)) return { ...state, status: "done", error: null };
  const error = failureText(each.error);
  const isLast = hasFailed(run, each);
  if (each.isUnknown) return { ...state, attempts: state.attempts + (isLast ? 0 : 1), error };
  return { ...state, status: isLast ? "failed" : "retrying", error };
};

/** Keeps the output of an earlier attempt, which took effect, if this one has none. */
const stateWithOutput = (each: CallResult): BranchState => ({
  ...each.state,
  output: "kind" in each ? (each.output ?? each.state.output) : each.output,
});
