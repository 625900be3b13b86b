import type { Handler } from "@framework/core";
import type { Kernel } from "@framework/durable/feature";
import { AppendLog } from "../events/append-log.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { CommandAttempt, CommandRun } from "./command-run.ts";

/** Added to the database's own limit, so that the command's ends first: the database's serves only to give up a commit without an answer. */
const SLACK_MS = 1000;

/**
 * Runs an attempt in a transaction of its own, which is committed unless the attempt failed or its time is over. Conflicts are retried further out, for
 * all kinds alike.
 *
 * @param committed called after each commit, also when its outcome is unknown
 */
export const inTransaction =
  (
    kernel: Kernel,
    perform: Handler<CommandAttempt, Outcome>,
    committed: () => void,
  ): Handler<CommandRun, Outcome> =>
  (run) => {
    const { deadline } = run.call;
    const { signal } = deadline;
    deadline.check(); // waiting for its turn may have taken all the time
    const timeoutSecs = (deadline.remainingMs + SLACK_MS) / 1000;
    return kernel.db.transaction(
      async (tx) => {
        run.attempts++;
        tx.onCommit(committed);
        const outcome = await perform({ run, tx, log: new AppendLog() });
        if (!outcome.ok) throw outcome.error;
        deadline.check();
        return outcome;
      },
      { signal, timeoutSecs, retries: 0 },
    );
  };
