import type { CustomTypesConfig, PoolClient } from "pg";
import type { Row } from "../queries.ts";
import { isDate, type SqlScalar, type SqlValue } from "../sql-value.ts";
import type { Statement } from "../statement.ts";
import { PreparedQuery, type QueryCallback } from "./prepared-query.ts";
import type { StatementProperties } from "./statement-names.ts";

/** Options of `sendStatement`. */
export interface SendOptions {
  /** Parsers of columns. */
  readonly types: CustomTypesConfig;
  /** Maximum time until the complete result has arrived. @default the connection's */
  readonly timeout?: { readonly query_timeout?: number };
}

/** Sends a statement as a `PreparedQuery`, or as a query of `pg` if it has no name, its values need a conversion, or its columns may change. */
export const sendStatement = (
  client: PoolClient,
  { text, values: given }: Statement,
  { name, hasFixedColumns }: StatementProperties,
  { types, timeout = {} }: SendOptions,
  callback: QueryCallback,
): void => {
  const values = given.some(holdsDate) ? given.map(withDatesAsText) : given;
  if (name === undefined) client.query<Row>({ text, values: [...values], ...timeout }, callback);
  else if (hasFixedColumns && isPlain(values))
    client.query(new PreparedQuery({ name, text, values, ...timeout }, types, callback));
  else client.query<Row>({ name, text, values: [...values], ...timeout }, callback);
};

/** Whether `String` converts all values correctly. */
const isPlain = (values: readonly SqlValue[]): boolean =>
  values.every((value) => typeof value !== "object" || value === null);

/** Lists may be nested. */
const holdsDate = (value: SqlValue): boolean =>
  typeof value === "object" && (Array.isArray(value) ? value.some(holdsDate) : isDate(value));

const withDatesAsText = (value: SqlValue): SqlValue =>
  Array.isArray(value)
    ? (value.map(withDatesAsText) as readonly SqlScalar[])
    : dateAsText(value as SqlScalar);

/** `pg` writes a date in the machine's time zone, which a `timestamp` or `date` column ignores: the stored time would depend on the machine. */
const dateAsText = (value: SqlScalar): SqlScalar => (isDate(value) ? utcText(value as Date) : value);

/** PostgreSQL has no year 0, writes years before 1 as `BC`, and years above 9999 without a sign. */
const utcText = (date: Date): string => {
  const year = date.getUTCFullYear();
  const afterYear = date.toISOString().slice("-01-01T00:00:00.000Z".length * -1);
  const text = String(year > 0 ? year : 1 - year).padStart(4, "0") + afterYear;
  return year > 0 ? text : `${text} BC`;
};
