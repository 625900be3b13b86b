import { sql, type Transaction } from "@framework/database";
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

/** Waits for the appends in flight, and keeps others waiting until the transaction ends. */
export const lockInline = async ({ db }: StoreBase, tx: Transaction): Promise<void> => {
  if (db.dialect === "postgres")
    await tx.query`SELECT pg_advisory_xact_lock(${INLINE_LOCK}, ${storeKey})::text`;
};
