import { sql, type Statement } from "@framework/database";

/**
 * The current time as an SQL expression: whole milliseconds since 1970 by the database's clock, the only clock that decides.
 *
 * The subquery makes PostgreSQL evaluate it once per statement, so that an index can be searched with it. It is the time of the statement, not of the
 * transaction's begin.
 */
export const databaseNow = (dialect: "sqlite" | "postgres"): Statement =>
  dialect === "postgres" ? postgresNow : sqliteNow;

const postgresNow = sql`(SELECT (extract(epoch from clock_timestamp()) * 1000)::bigint)`;
const sqliteNow = sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`;
