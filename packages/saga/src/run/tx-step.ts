import { failureOf } from "@framework/durable/feature";
import type { StepContext } from "../definition/context.ts";
import type { TxStep } from "../definition/step.ts";
import type { BranchState } from "../store/instance.ts";
import { jsonValue } from "../store/json-value.ts";
import { remainingMs } from "./active-time.ts";
import { attemptAt, isSettled } from "./arrive.ts";
import { contextPerRun } from "./context-per-run.ts";
import { commitStepEnd, finishStep, type StepEnd } from "./finish-step.ts";
import { failureText, stepLabel, type SagaRun } from "./saga-run.ts";
import { fail, pause, tryAgain } from "./step-failures.ts";
import { doStep } from "./step-calls.ts";

/** Runs a `tx` step and records it in the same transaction. Returns whether the run continues. */
export const runTx = async (run: SagaRun, step: TxStep): Promise<boolean> => {
  const { saga, parts } = run;
  const { position } = saga;
  const [branch] = step.branches;
  if (isSettled(saga, position, ""))
    return await commitStepEnd(run, { position: position + 1, step: step.name, done: [] });
  const state = attemptAt(saga, position, "");
  let failed: { readonly error: unknown } | null = null;
  const work = (context: StepContext, signal: AbortSignal): Promise<StepEnd> => {
    const contextOfRun = contextPerRun(run, context);
    return parts.store.db.transaction(
      async (tx) => {
        failed = null; // the transaction runs again after a conflict
        let output: string | null;
        try {
          const called = { saga: saga.name, step, branch, context: contextOfRun() };
          output = jsonValue(await doStep(parts.scopes, called, tx), `the output of "${step.name}"`);
        } catch (error) {
          failed = { error };
          throw error;
        }
        const done = { ...state, status: "done", output, error: null } as const;
        return await finishStep(run, tx, { position: position + 1, step: step.name, done: [done] });
      },
      { signal },
    );
  };
  try {
    const end = await run.attempt(
      { step, branch, attempt: state.attempts, atMostMs: remainingMs(run) },
      work,
    );
    parts.insight.countAttempt(saga.name, "done");
    run.saga = end.saga;
    return end.continues;
  } catch (error) {
    return await recordFailure(
      run,
      step,
      state,
      error,
      (failed as { readonly error: unknown } | null)?.error === error,
    );
  }
};

/** Records a failed attempt, or rethrows an error of the infrastructure. @param isOwn whether the step's function threw the error */
const recordFailure = async (
  run: SagaRun,
  step: TxStep,
  state: BranchState,
  error: unknown,
  isOwn: boolean,
): Promise<boolean> => {
  const kind = run.classifyAndCount(error);
  const hasTimedOut = failureOf(error).code === "SAGA_STEP_TIMEOUT";
  if (kind === "machinery" || !(isOwn || hasTimedOut || kind === "bug")) throw error;
  const [branch] = step.branches;
  const failed = { ...state, status: "failed", error: failureText(error) } as const;
  const label = stepLabel(step, branch);
  if (kind === "bug") return await pause(run, label, error, [failed]);
  const retry = run.retryOf(branch);
  if (kind === "reject" || state.attempts >= retry.attempts) return await fail(run, label, error, [failed]);
  const delayMs = run.delayMs(retry, state.attempts);
  return await tryAgain(run, label, error, { branches: [{ ...failed, status: "retrying" }], delayMs });
};
