import type { Middleware } from "@framework/core";
import type { CommandAttempt } from "./command-run.ts";
import type { Outcome } from "../pipeline/outcome.ts";

/** Completes the work item of a queued command in the transaction of its changes, so that both are committed or neither. */
export const completeItem: Middleware<CommandAttempt, Outcome> = async function completeItem(attempt, next) {
  const outcome = await next(attempt);
  const { item } = attempt.run.call;
  if (outcome.ok && item !== null)
    await item.complete(attempt.tx, { value: outcome.value, token: outcome.position });
  return outcome;
};
