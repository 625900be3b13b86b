import { sql, type Statement } from "@framework/database";

/**
 * Returns the current time as an SQL expression: Unix milliseconds by the database's clock, an integer. It is the only clock whose times are stored or compared.
 *
 * The subquery makes PostgreSQL evaluate it once per statement, so that it can be used as an index condition. It is the time of the statement, not of the
 * start of the transaction.
 */
export const databaseNow = (dialect: "sqlite" | "postgres"): Statement =>
  dialect === "postgres" ? postgresNow : sqliteNow;

const postgresNow = sql`(SELECT (extract(epoch from clock_timestamp()) * 1000)::bigint)`;
const sqliteNow = sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`;
