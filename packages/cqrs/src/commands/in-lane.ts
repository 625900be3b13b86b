import type { Middleware } from "@framework/core";
import type { Kernel } from "@framework/durable/feature";
import { returnedText } from "../caller/returned-text.ts";
import { laneLock } from "../idempotency/key-id.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { CommandAttempt, CommandRun } from "./command-run.ts";
import type { KeyedLanes } from "./keyed-lanes.ts";

/** Returns the key of a command; `null` for none. @throws CQRS_BAD_RETURN */
export const laneOf = ({ operation, input }: Pick<CommandRun, "operation" | "input">): string | null => {
  const key: unknown = operation.key?.(input as never) ?? null; // the validated input of this command
  return key === null ? null : returnedText(`key of command ${operation.name}`, key);
};

/** Lets the commands of one key run one after the other within this process: waiting ones need no connection. */
export const inLane = (lanes: KeyedLanes): Middleware<CommandRun, Outcome> =>
  function inLane(run, next) {
    const key = laneOf(run);
    if (key === null) return next(run);
    return lanes.run(`${run.call.tenant}\0${key}`, run.signal, async () => next(run));
  };

/** Makes a transaction wait for those of other processes with the same key. Transactions of SQLite that write run one at a time anyway. */
export const lockLane = (kernel: Kernel): Middleware<CommandAttempt, Outcome> =>
  async function lockLane(attempt, next) {
    const { run, tx } = attempt;
    const key = laneOf(run);
    if (key !== null && kernel.db.dialect === "postgres")
      await tx.query`SELECT pg_advisory_xact_lock(${laneLock(run.call.tenant, key)})`;
    return next(attempt);
  };
