import { sql, type Statement, type Transaction } from "@framework/database";
import type { Projection } from "../definition/projection.ts";
import { tableOf } from "../definition/table-of.ts";

/** Returns the tables of a version, for statements. */
export const tablesOf = ({
  tables,
  version,
}: Pick<Projection, "tables" | "version">): Record<string, Statement> =>
  Object.fromEntries(Object.keys(tables).map((table) => [table, sql.identifier(tableOf(table, version))]));

/** Creates the empty tables of a version. */
export const createTables = async (tx: Transaction, projection: Projection): Promise<void> => {
  const tables = tablesOf(projection);
  for (const [table, columns] of Object.entries(projection.tables))
    await tx.script(`CREATE TABLE ${quoted(tableOf(table, projection.version))} (${columns})`);
  await projection.create(tx, tables);
};

/** Points the SQL views with the plain names to the tables of a version. */
export const pointViews = async (
  tx: Transaction,
  version: number,
  names: readonly string[],
  old: readonly string[],
): Promise<void> => {
  for (const name of new Set([...old, ...names])) await tx.script(`DROP VIEW IF EXISTS ${quoted(name)}`);
  for (const name of names)
    await tx.script(`CREATE VIEW ${quoted(name)} AS SELECT * FROM ${quoted(tableOf(name, version))}`);
};

/** Drops the tables of a version. */
export const dropTables = async (
  tx: Transaction,
  version: number,
  names: readonly string[],
): Promise<void> => {
  for (const name of names) await tx.script(`DROP TABLE IF EXISTS ${quoted(tableOf(name, version))}`);
};

/** Quotes a name. Table names contain no quotation marks: see `checkProjection`. */
const quoted = (name: string): string => `"${name}"`;
