import type { Middleware } from "@framework/core";
import type { Kernel } from "@framework/durable/feature";
import { requireString } from "../caller/require-string.ts";
import { laneLock } from "../idempotency/key-id.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { CommandAttempt, CommandRun } from "./command-run.ts";
import type { KeyedLanes } from "./keyed-lanes.ts";

/** Returns the key that serialises a command; `null` for none. @throws CQRS_BAD_RETURN */
export const laneOf = ({ operation, input }: Pick<CommandRun, "operation" | "input">): string | null => {
  const key: unknown = operation.key?.(input as never) ?? null; // the validated input of this command
  return key === null ? null : requireString(`key of command ${operation.name}`, key);
};

/** Serialises commands with the same key in this process, so that waiting commands hold no connection. */
export const inLane = (lanes: KeyedLanes): Middleware<CommandRun, Outcome> =>
  function inLane(run, next) {
    const key = laneOf(run);
    if (key === null) return next(run);
    return lanes.run(`${run.call.tenant}\0${key}`, run.signal, async () => next(run));
  };

/** Serialises commands with the same key across processes, by a lock. Not needed on SQLite, where write transactions run one at a time. */
export const lockLane = (kernel: Kernel): Middleware<CommandAttempt, Outcome> =>
  async function lockLane(attempt, next) {
    const { run, tx } = attempt;
    const key = laneOf(run);
    if (key !== null && kernel.db.dialect === "postgres")
      await tx.query`SELECT pg_advisory_xact_lock(${laneLock(run.call.tenant, key)})`;
    return next(attempt);
  };
