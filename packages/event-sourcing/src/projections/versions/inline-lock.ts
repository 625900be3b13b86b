import { FrameworkError } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import { DatabaseError, sql, type Transaction } from "@framework/database";
import { Bell } from "../../base/bell.ts";
import type { StoreBase } from "../../base/store-base.ts";
import { INLINE_LOCK, storeKey } from "../../base/store-locks.ts";

/**
 * Keeps the set of versions that follow appends as it is until the transaction ends. SQLite runs transactions that write one at a time, and needs none.
 *
 * @returns a clause for the statement that reads all inline versions: with a snapshot of its own, the transaction could read an old state; then the clause makes it begin again
 */
export const shareInline = async ({ db }: StoreBase, tx: Transaction): Promise<ReturnType<typeof sql>> => {
  if (db.dialect === "sqlite") return sql``;
  const isolation = await tx.fetchOne<{
    level: string;
  }>`SELECT current_setting('transaction_isolation') AS level,
    pg_advisory_xact_lock_shared(${INLINE_LOCK}, ${storeKey})::text AS locked`;
  return isolation?.level === "read committed" ? sql`` : sql`FOR SHARE`;
};

/** The lock of inline versions was not free in time. Other locks, such as those of a projection's own statements, are no reason to wait. */
class InlineLockTaken extends Error {}

/** The attempts to get it have ended. */
export class AppendOpenError extends FrameworkError {
  constructor(projection: string, cause: unknown) {
    const message = `event-sourcing: the inline projection ${projection} has waited for an append whose transaction is still open; end that transaction, and try again`;
    super("EVENTS_APPEND_OPEN", message, { cause });
  }
}

/** Waits for the appends in flight, and keeps others waiting until the transaction ends. @throws InlineLockTaken after `waitMs`; call it in `untilLocked` */
export const lockInline = async ({ db }: StoreBase, tx: Transaction, waitMs: number): Promise<void> => {
  if (db.dialect === "sqlite") return;
  await tx.script(`SET LOCAL lock_timeout = ${waitMs}`);
  try {
    await tx.query`SELECT pg_advisory_xact_lock(${INLINE_LOCK}, ${storeKey})::text`;
  } catch (cause) {
    throw isLockTimeout(cause) ? new InlineLockTaken("an append is open", { cause }) : cause;
  }
  await tx.script("SET LOCAL lock_timeout TO DEFAULT");
};

/** Waits of the attempts to lock, in milliseconds: they double. Appends that begin meanwhile wait, too. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5000;
/** Longest time of all attempts and the pauses between them, where nothing else ends them. */
const MAX_WAITED_MS = 30_000;
/** From here on, a wait is logged. */
const LOGGED_WAIT_MS = 800;

/** What waits for open appends. */
export interface LockNeeds {
  readonly base: StoreBase;
  readonly clock: Clock;
  /** Name of the projection, for the log. */
  readonly projection: string;
  /** Ends the attempts. @default they end after 30 s */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a transaction that calls `lockInline`, until it gets the lock. After an attempt, appends go on for as long as it waited.
 *
 * @throws EVENTS_APPEND_OPEN when the attempts have ended; errors of the transaction
 */
export const untilLocked = async <T>(
  { base, clock, projection, signal }: LockNeeds,
  run: (waitMs: number) => Promise<T>,
): Promise<T> => {
  let waitedMs = 0;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await run(waitMs);
    } catch (error) {
      if (!(error instanceof InlineLockTaken)) throw error;
      waitedMs += 2 * waitMs;
      if (signal === undefined ? waitedMs > MAX_WAITED_MS : signal.aborted)
        throw new AppendOpenError(projection, error.cause);
      if (waitMs >= LOGGED_WAIT_MS)
        base.log.warn("event-sourcing: an inline projection waits for an append that is open", {
          projection,
        });
    }
    await new Bell(clock).wait(waitMs, signal);
  }
};

const isLockTimeout = (error: unknown): boolean =>
  error instanceof DatabaseError && error.sqlCode === "55P03";
