import { type Queries, sql } from "@framework/database";
import { storeKey } from "../base/store-locks.ts";

/**
 * Transactions with an append in flight: the age of each in seconds, by its id, which is valid while the transaction holds the lock.
 *
 * The server reports when a transaction began, not when it appended. The age is 0 if the server does not report it, as for a prepared transaction.
 */
export type Holders = ReadonlyMap<string, number>;

/** Prefix of the ids of prepared transactions. A transaction changes its id when it is prepared, so it may be any of the transactions seen before. */
const PREPARED = "-1/";

interface Row {
  readonly id: string;
  readonly seconds: number | null;
}

/**
 * Lists the holders of the append lock on PostgreSQL.
 *
 * A holder takes it before it draws a position, and releases it when its commit is visible or its rollback is complete, even if its connection is killed.
 *
 * @param lock first key of the lock; objsubid 2 marks a lock with two keys
 */
export const lockHolders = async (queries: Queries, lock: number): Promise<Holders> => {
  const rows = await queries.query<Row>`SELECT l.virtualtransaction AS id,
      extract(epoch FROM clock_timestamp() - a.xact_start)::float8 AS seconds
    FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
      AND l.classid::bigint = ${lock} AND l.objid::integer = ${storeKey}
      AND l.database = ${currentDatabase}`;
  return new Map(rows.map(({ id, seconds }) => [id, seconds ?? 0]));
};

const currentDatabase = sql`(SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Whether a transaction of `earlier` may still be open, given the present holders. */
export const mayRemain = (earlier: ReadonlySet<string>, now: Holders): boolean => {
  for (const id of now.keys()) if (earlier.has(id) || id.startsWith(PREPARED)) return true;
  return false;
};

/** Returns the age in seconds of the oldest transaction of `earlier` that is still open; 0 if there is none. */
export const oldestAge = (earlier: ReadonlySet<string>, now: Holders): number =>
  Math.max(0, ...Array.from(earlier, (id) => now.get(id) ?? 0));
