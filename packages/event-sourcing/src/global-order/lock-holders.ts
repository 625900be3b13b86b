import { type Queries, sql } from "@framework/database";
import { storeKey } from "../base/store-locks.ts";

/** Transactions that have an append in flight, and how long the oldest has been open. */
export interface Holders {
  /** Identifies each transaction for as long as it holds the lock. */
  readonly ids: ReadonlySet<string>;
  /** Seconds since the oldest of them began; 0 without any, or when the server does not say. */
  readonly oldestSecs: number;
}

/** Begins the id of a prepared transaction: it had another id before it was prepared, so it may be any of those noted. */
const PREPARED = "-1/";

interface Row {
  readonly id: string;
  readonly seconds: number | null;
}

/**
 * The holders of the lock of appends on PostgreSQL.
 *
 * Each holds it from before it draws a position until its commit is visible or its rollback is done, also when its connection is killed.
 *
 * @param lock first key of the lock: objsubid 2 marks a lock of two keys
 */
export const lockHolders = async (queries: Queries, lock: number): Promise<Holders> => {
  const rows = await queries.query<Row>`SELECT l.virtualtransaction AS id,
      extract(epoch FROM clock_timestamp() - a.xact_start)::float8 AS seconds
    FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
      AND l.classid::bigint = ${lock} AND l.objid::integer = ${storeKey}
      AND l.database = ${currentDatabase}`;
  return {
    ids: new Set(rows.map(({ id }) => id)),
    oldestSecs: Math.max(0, ...rows.map(({ seconds }) => seconds ?? 0)),
  };
};

const currentDatabase = sql`(SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Whether a transaction of `noted` may still be open. */
export const mayRemain = (noted: ReadonlySet<string>, now: ReadonlySet<string>): boolean => {
  for (const id of now) if (noted.has(id) || id.startsWith(PREPARED)) return true;
  return false;
};
