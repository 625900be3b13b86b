import type { CustomTypesConfig, PoolClient } from "pg";
import type { Row } from "../queries.ts";
import { isDate, type SqlScalar, type SqlValue } from "../sql-value.ts";
import type { Statement } from "../statement.ts";
import { PreparedQuery, type QueryCallback } from "./prepared-query.ts";
import type { KnownText } from "./statement-names.ts";

/** How a statement is sent. */
export interface SendOptions {
  /** Parsers of columns. */
  readonly types: CustomTypesConfig;
  /** Time without a reply, where it is not that of the connection. */
  readonly answer?: { readonly query_timeout?: number };
}

/** Sends a statement: the usual ones by a query of our own, those with values that need a conversion, or with changing columns, by that of `pg`. */
export const sendStatement = (
  client: PoolClient,
  { text, values: given }: Statement,
  { name, steady }: KnownText,
  { types, answer = {} }: SendOptions,
  callback: QueryCallback,
): void => {
  const values = given.some(holdsDate) ? given.map(withoutDates) : given;
  if (name === undefined) client.query<Row>({ text, values: [...values], ...answer }, callback);
  else if (steady && isPlain(values))
    client.query(new PreparedQuery({ name, text, values, ...answer }, types, callback));
  else client.query<Row>({ name, text, values: [...values], ...answer }, callback);
};

/** Whether the server gets what `String` makes of the values. */
const isPlain = (values: readonly SqlValue[]): boolean =>
  values.every((value) => typeof value !== "object" || value === null);

const holdsDate = (value: SqlValue): boolean =>
  typeof value === "object" && (Array.isArray(value) ? value.some(isDate) : isDate(value));

const withoutDates = (value: SqlValue): SqlValue =>
  Array.isArray(value) ? value.map((each: SqlScalar) => withoutDate(each)) : withoutDate(value as SqlScalar);

/** `pg` writes a date in the machine's zone, which a column of type `timestamp` or `date` drops: the time would depend on the machine. */
const withoutDate = (value: SqlScalar): SqlScalar => (isDate(value) ? utcText(value as Date) : value);

/** PostgreSQL has no year 0, writes those before 1 as `BC`, and years above 9999 without a sign. */
const utcText = (date: Date): string => {
  const year = date.getUTCFullYear();
  const afterYear = date.toISOString().slice("-01-01T00:00:00.000Z".length * -1);
  const text = String(year > 0 ? year : 1 - year).padStart(4, "0") + afterYear;
  return year > 0 ? text : `${text} BC`;
};
