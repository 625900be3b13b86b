import { sql } from "@framework/database";
import { APPEND_LOCK, storeKey } from "./base/store-locks.ts";
import type { StoreBase } from "./base/store-base.ts";
import { eventError } from "./errors/event-error.ts";
import { lockHolders } from "./global-order/lock-holders.ts";

/**
 * Inserts the row of the store, and checks that the store works as configured.
 *
 * @throws EVENTS_BAD_STORE if the store was created with another source of positions; EVENTS_LOCKS_HIDDEN if readers could not see appends in flight
 */
export const setUpStore = async (base: StoreBase): Promise<void> => {
  const { db, settings } = base;
  const positions = db.dialect === "sqlite" ? "sequence" : settings.positions; // SQLite has only one source
  const start = sql`(SELECT coalesce(max(position), 0) FROM framework_events)`;
  await db.execute`INSERT INTO framework_event_store (id, positions, last_position, mark)
    SELECT 1, ${positions}, ${start}, 0 WHERE TRUE ON CONFLICT (id) DO NOTHING`;
  const used = await db.fetchValue<string>`SELECT positions FROM framework_event_store WHERE id = 1`;
  if (used !== positions)
    throw eventError(
      "EVENTS_BAD_STORE",
      `positions is "${positions}", but the store was created with "${used}"; all processes must use "${used}"`,
    );
  if (db.dialect === "postgres" && positions === "sequence") await checkLocks(base);
};

/** Some managed services hide `pg_locks`; readers would then skip events silently. @throws EVENTS_LOCKS_HIDDEN */
const checkLocks = async ({ db }: StoreBase): Promise<void> => {
  const isVisible = await db.transaction(async (tx) => {
    await tx.query`SELECT pg_advisory_xact_lock_shared(${APPEND_LOCK}, ${storeKey})`;
    return (await lockHolders(tx, APPEND_LOCK)).size > 0;
  });
  if (isVisible) return;
  throw eventError(
    "EVENTS_LOCKS_HIDDEN",
    'the server hides its locks (pg_locks), so readers could miss events; set positions: "counter"',
  );
};
