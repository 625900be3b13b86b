import { sql, type Statement } from "@framework/database";

/** Advisory lock of appends in flight: a transaction that holds it may have drawn positions that are not visible yet. */
export const APPEND_LOCK = 520_883_647;
/** Advisory lock of inline views: shared by appends, exclusive for a version that starts or stops being updated inline. */
export const INLINE_LOCK = 731_027_641;
/** Advisory lock for registering versions of projections. */
export const REGISTER_LOCK = 731_027_642;

/**
 * PostgreSQL expression for the second key of the locks: it distinguishes stores in different schemas of one database. Evaluated in each statement, because a
 * restore may change the oid of the table while processes run.
 */
export const STORE_KEY = "to_regclass('framework_events')::oid::integer";
/** `STORE_KEY` as a statement fragment. */
export const storeKey: Statement = sql`to_regclass('framework_events')::oid::integer`;
