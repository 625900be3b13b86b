import type { Handler } from "@framework/core";
import type { Kernel } from "@framework/durable/feature";
import { AppendLog } from "../events/append-log.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { CommandAttempt, CommandRun } from "./command-run.ts";

/** Added to the time limit of the transaction, so that the command's limit is reached first. The transaction's limit only ends a commit without a reply. */
const SLACK_MS = 1000;

/**
 * Runs an attempt in a separate transaction, which is committed unless the attempt fails or its time limit has passed. `retryConflicts` retries conflicts, so
 * the database does not.
 *
 * @param onCommit called after each commit, including one with an unknown outcome
 */
export const inTransaction =
  (
    kernel: Kernel,
    perform: Handler<CommandAttempt, Outcome>,
    onCommit: () => void,
  ): Handler<CommandRun, Outcome> =>
  (run) => {
    const { deadline } = run.call;
    const { signal } = deadline;
    deadline.check(); // the wait in the lane may have used up the time
    const timeoutSecs = (deadline.remainingMs + SLACK_MS) / 1000;
    return kernel.db.transaction(
      async (tx) => {
        run.attempts++;
        tx.onCommit(onCommit);
        const outcome = await perform({ run, tx, log: new AppendLog() });
        if (!outcome.ok) throw outcome.error;
        deadline.check();
        return outcome;
      },
      { signal, timeoutSecs, retries: 0 },
    );
  };
