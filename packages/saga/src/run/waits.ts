import type { SleepStep, WaitStep } from "../definition/step.ts";
import { sagaTimeout } from "../errors/saga-errors.ts";
import { takeMessage } from "../messages/inbox.ts";
import { newBranch } from "./arrive.ts";
import { commitStepEnd, finishStep } from "./finish-step.ts";
import type { SagaRun } from "./saga-run.ts";
import { fail, pause } from "./step-failures.ts";

/** Consumes the expected message, keeps waiting, or fails at the timeout. Returns whether the run continues. */
export const wait = async (run: SagaRun, step: WaitStep): Promise<boolean> => {
  const { store, transaction } = run.parts;
  const { id, position, waitUntil, isFinal } = run.saga;
  const { now } = run; // read once, because it advances
  const hasTimedOut = waitUntil !== null && now >= waitUntil;
  const outcome = await transaction(async (tx) => {
    await store.load(tx, id, { lock: true });
    const data = await takeMessage(tx, store.now, { sagaId: id, name: step.name });
    if (data !== null) {
      const done = { ...newBranch(position, ""), status: "done", output: data } as const;
      return await finishStep(run, tx, { position: position + 1, step: step.name, done: [done] });
    }
    if (waitUntil === null) {
      const change = {
        event: "wait",
        step: null,
        note: step.name,
        wait: { message: step.name, ms: step.timeoutMs },
      } as const;
      const saga = await run.change(tx, change);
      await run.claim.again(tx, step.timeoutMs);
      return { saga, continues: false };
    }
    if (!hasTimedOut) await run.claim.again(tx, waitUntil - now);
    return null;
  });
  if (outcome !== null) {
    run.saga = outcome.saga;
    return outcome.continues;
  }
  if (!hasTimedOut) return false;
  const timeout = sagaTimeout(`the wait for "${step.name}"`, step.timeoutMs);
  return isFinal ? await pause(run, step.name, timeout) : await fail(run, step.name, timeout);
};

/** Begins or ends a sleep. Returns whether the run continues. */
export const sleep = async (run: SagaRun, step: SleepStep): Promise<boolean> => {
  const { position, waitUntil } = run.saga;
  if (waitUntil === null) {
    const change = {
      event: "wait",
      step: null,
      note: step.name,
      wait: { message: null, ms: step.ms },
    } as const;
    await run.commit(change, (tx) => run.claim.again(tx, step.ms));
    return false;
  }
  const { now } = run;
  if (now >= waitUntil)
    return await commitStepEnd(run, { position: position + 1, step: step.name, done: [] });
  await run.parts.transaction((tx) => run.claim.again(tx, waitUntil - now));
  return false;
};
