import { FrameworkError } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import { DatabaseError, sql, type Transaction } from "@framework/database";
import { WakeSignal } from "../../base/wake-signal.ts";
import type { StoreBase } from "../../base/store-base.ts";
import { INLINE_LOCK, storeKey } from "../../base/store-locks.ts";

/**
 * Locks the set of live inline versions until the transaction ends. Not needed on SQLite, where write transactions run one at a time.
 *
 * @returns a clause for the statement that reads the inline versions: at a level stricter than "read committed", the transaction could read an outdated set;
 *   the clause then makes it fail and run again
 */
export const shareInline = async ({ db }: StoreBase, tx: Transaction): Promise<ReturnType<typeof sql>> => {
  if (db.dialect === "sqlite") return sql``;
  const isolation = await tx.fetchOne<{
    level: string;
  }>`SELECT current_setting('transaction_isolation') AS level,
    pg_advisory_xact_lock_shared(${INLINE_LOCK}, ${storeKey})::text AS locked`;
  return isolation?.level === "read committed" ? sql`` : sql`FOR SHARE`;
};

/** The inline lock was not acquired in time. Timeouts of other locks, such as locks of a projection's statements, are not retried. */
class InlineLockError extends Error {}

/** All attempts to acquire the inline lock have failed. */
export class AppendOpenError extends FrameworkError {
  constructor(projection: string, cause: unknown) {
    const message = `event-sourcing: the inline projection ${projection} timed out waiting for an append whose transaction is still open; end that transaction, then try again`;
    super("EVENTS_APPEND_OPEN", message, { cause });
  }
}

/** Waits for appends in flight, and blocks further ones until the transaction ends. Call it within `untilLocked`. @throws InlineLockError after `waitMs` */
export const lockInline = async ({ db }: StoreBase, tx: Transaction, waitMs: number): Promise<void> => {
  if (db.dialect === "sqlite") return;
  await tx.script(`SET LOCAL lock_timeout = ${waitMs}`);
  try {
    await tx.query`SELECT pg_advisory_xact_lock(${INLINE_LOCK}, ${storeKey})::text`;
  } catch (cause) {
    throw isLockTimeout(cause) ? new InlineLockError("an append is open", { cause }) : cause;
  }
  await tx.script("SET LOCAL lock_timeout TO DEFAULT");
};

/** Lock timeouts of the attempts, which double. Appends that start during an attempt also wait. */
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 5000;
/** Maximum total time of attempts and pauses, if there is no signal. */
const MAX_TOTAL_MS = 30_000;
/** Waits of at least this length are logged. */
const LOGGED_WAIT_MS = 800;

/** Dependencies of `untilLocked`. */
export interface LockNeeds {
  readonly base: StoreBase;
  readonly clock: Clock;
  /** Name of the projection, for the log. */
  readonly projection: string;
  /** Ends the attempts. @default a limit of 30 s */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a transaction that calls `lockInline` until it acquires the lock. After a failed attempt, it pauses for as long as the attempt lasted, so that appends
 * continue; without a signal, the last pause and the last attempt each get half of the remaining time.
 *
 * @throws EVENTS_APPEND_OPEN after the last attempt, or when the signal has aborted; errors of the transaction
 */
export const untilLocked = async <T>(
  { base, clock, projection, signal }: LockNeeds,
  run: (waitMs: number) => Promise<T>,
): Promise<T> => {
  let leftMs = signal === undefined ? MAX_TOTAL_MS : Infinity;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS, leftMs)) {
    try {
      return await run(waitMs);
    } catch (error) {
      if (!(error instanceof InlineLockError)) throw error;
      leftMs -= waitMs;
      if (leftMs <= 0 || signal?.aborted === true) throw new AppendOpenError(projection, error.cause);
      if (waitMs >= LOGGED_WAIT_MS)
        base.log.warn("event-sourcing: an inline projection is waiting for an open append", {
          projection,
        });
    }
    const pauseMs = Math.min(waitMs, leftMs / 2);
    leftMs -= pauseMs;
    await new WakeSignal(clock).wait(pauseMs, signal);
  }
};

const isLockTimeout = (error: unknown): boolean =>
  error instanceof DatabaseError && error.sqlCode === "55P03";
