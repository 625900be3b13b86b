import type { Middleware } from "@framework/core";
import { CommandTimeoutError, outcomeUnknown } from "../failures/command-errors.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { CommandRun } from "./command-run.ts";
import { rescue } from "../pipeline/rescue.ts";

/**
 * Limits the duration of a command. When the signal aborts, the inner middleware ends at once and the transaction is rolled back. Only a commit in progress
 * cannot be undone: its outcome is unknown unless the database replies.
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
