import { workersLost, sagaTimeout } from "../errors/saga-errors.ts";
import { MAX_LOST_WORKERS } from "../limits.ts";
import { remainingMs } from "./active-time.ts";
import { arriveAt } from "./arrive.ts";
import { runCalls } from "./calls.ts";
import { commitStepEnd } from "./finish-step.ts";
import type { SagaRun } from "./saga-run.ts";
import { fail, pause } from "./step-failures.ts";
import { runTx } from "./tx-step.ts";
import { sleep, wait } from "./waits.ts";

/** Runs the next step of an instance. Returns whether the run continues. */
export const runNext = async (run: SagaRun): Promise<boolean> => {
  const { saga, definition, claim } = run;
  if (claim.attempt > MAX_LOST_WORKERS) return await pause(run, null, workersLost(claim.attempt - 1));
  if (saga.waitUntil === null && remainingMs(run) <= 0)
    return await fail(run, null, sagaTimeout(`the saga "${saga.name}"`, run.parts.limits.timeoutMs));
  const arrival = arriveAt(definition, saga, saga.position);
  if (arrival.position !== saga.position || arrival.step === null || arrival.problem !== undefined) {
    return await commitStepEnd(run, { position: saga.position, step: null, done: [] });
  }
  const { step } = arrival;
  if (step.kind === "wait") return await wait(run, step);
  if (step.kind === "sleep") return await sleep(run, step);
  if (step.kind === "tx") return await runTx(run, step);
  if (step.kind === "call") return await runCalls(run, step);
  throw new Error("saga: nothing runs at a pivot");
};
