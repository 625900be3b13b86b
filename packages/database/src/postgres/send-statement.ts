import type { CustomTypesConfig, PoolClient } from "pg";
import type { Row } from "../queries.ts";
import type { SqlValue } from "../sql-value.ts";
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
  { text, values }: Statement,
  { name, steady }: KnownText,
  { types, answer = {} }: SendOptions,
  callback: QueryCallback,
): void => {
  if (name === undefined) client.query<Row>({ text, values: [...values], ...answer }, callback);
  else if (steady && isPlain(values))
    client.query(new PreparedQuery({ name, text, values, ...answer }, types, callback));
  else client.query<Row>({ name, text, values: [...values], ...answer }, callback);
};

/** Whether the server gets what `String` makes of the values. */
const isPlain = (values: readonly SqlValue[]): boolean =>
  values.every((value) => typeof value !== "object" || value === null);
