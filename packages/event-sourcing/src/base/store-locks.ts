import { sql, type Statement } from "@framework/database";

/** The advisory lock that says "an append is in flight": a transaction that holds it may have drawn positions that are not visible yet. */
export const APPEND_LOCK = 520_883_647;
/** The lock that appends with inline views share, and that a version takes alone to begin, or end, following them. */
export const INLINE_LOCK = 731_027_641;
/** The lock under which the versions of projections are registered. */
export const REGISTER_LOCK = 731_027_642;

/**
 * SQL of PostgreSQL: second key of the locks, which tells the stores in the schemas of one database apart. It is looked up in each statement: a restore may give the table another
 * number while processes run.
 */
export const STORE_KEY = "to_regclass('framework_events')::oid::integer";
/** The same, as a part of statements. */
export const storeKey: Statement = sql`to_regclass('framework_events')::oid::integer`;
