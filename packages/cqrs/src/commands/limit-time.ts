import type { Middleware } from "@framework/core";
import { CommandTimeoutError, outcomeUnknown } from "../failures/command-errors.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { CommandRun } from "./command-run.ts";
import { rescue } from "../pipeline/rescue.ts";

/**
 * Limits the duration of a command. The levels inside end at once when the signal aborts, and the transaction is rolled back; only a commit that is under way
 * cannot be taken back, so its outcome is unknown unless the database answers.
 */
export const limitTime: Middleware<CommandRun, Outcome> = async function limitTime(run, next) {
  const { deadline } = run.call;
  deadline.begin();
  try {
    const outcome = await next(run);
    if (outcome.ok || run.unknown === null) return outcome;
    return rescue(
      deadline.hasPassed
        ? new CommandTimeoutError(deadline.timeoutMs, "unknown", run.unknown)
        : outcomeUnknown(run.unknown),
    );
  } finally {
    deadline.end();
  }
};
