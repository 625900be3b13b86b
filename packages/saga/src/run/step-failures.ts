import { failureOf } from "@framework/durable/feature";
import type { BranchState } from "../store/instance.ts";
import { remainingMs } from "./active-time.ts";
import { failureText, type SagaRun } from "./saga-run.ts";

/** Maximum length of a failed attempt's message in the timeline. */
const MAX_NOTE = 500;

/** Records that the saga has failed: it is compensated, or paused after the pivot. */
export const fail = async (
  run: SagaRun,
  step: string | null,
  error: unknown,
  branches: readonly BranchState[] = [],
): Promise<boolean> => {
  if (run.saga.isFinal) return await pause(run, step, error, branches);
  await run.commit({ event: "fail", step, error: failureText(error), branches, wait: null });
  return true;
};

/** Pauses the saga for an operator. */
export const pause = async (
  run: SagaRun,
  step: string | null,
  error: unknown,
  branches: readonly BranchState[] = [],
): Promise<boolean> => {
  const { name: saga, id } = run.saga;
  run.parts.log().error(`saga: "${saga}" is paused`, { id, step, error });
  await run.commit({ event: "pause", step, error: failureText(error), branches }, (tx) => run.claim.end(tx));
  return false;
};

/** Records that an attempt failed, and schedules the next one. */
export const tryAgain = async (
  run: SagaRun,
  step: string,
  error: unknown,
  { branches, delayMs }: { readonly branches: readonly BranchState[]; readonly delayMs: number },
): Promise<boolean> => {
  const delay = Math.ceil(Math.max(0, Math.min(delayMs, remainingMs(run))));
  const note = failureOf(error).message.slice(0, MAX_NOTE).toWellFormed();
  const activeMs = run.activeMs + delay;
  await run.commit({ event: "again", step, note, branches, activeMs }, (tx) => run.claim.again(tx, delay));
  return false;
};
