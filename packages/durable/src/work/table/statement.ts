import type { SqlScalar, SqlValue } from "@framework/database";
import { heldColumns } from "./held.ts";

/** Placeholders of a statement by name, `now`, and on SQLite `list`: a `FROM` item `s` with the rows of the list. */
export type Placeholders = Readonly<Record<string, string>>;

/** A statement on the work table, with its text for each database. */
export interface StatementShape {
  /** Suffix of the name of its PostgreSQL function. */
  readonly name: string;
  /** Single parameters and their types in PostgreSQL. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Columns of a parameter that is a list of rows, and their types in PostgreSQL, where each column is an array. */
  readonly list?: Readonly<Record<string, string>>;
  /** Columns of the result and their types in PostgreSQL. */
  readonly returns: Readonly<Record<string, string>>;
  readonly postgres: (places: Placeholders) => string;
  readonly sqlite: (places: Placeholders) => string;
}

/** A statement of one database. */
export interface Statement {
  readonly text: string;
  values(parameters: Readonly<Record<string, SqlScalar>>, rows: readonly ListRow[]): readonly SqlValue[];
}

/** A row of a list. */
export type ListRow = Readonly<Record<string, SqlScalar>>;

/** Returns a statement for SQLite. */
export const sqliteStatement = (shape: StatementShape, now: string): Statement => {
  const names = Object.keys(shape.parameters ?? {});
  const { columns, json } = shape.list === heldColumns ? heldList : listOf(shape.list ?? {});
  const list = `(SELECT ${columns} FROM json_each($${names.length + 1})) AS s`;
  return {
    text: shape.sqlite({ ...numberPlaceholders(names), now, list }),
    values(parameters, rows) {
      const single = names.map((name) => parameters[name] ?? null);
      return shape.list === undefined ? single : [...single, json(rows)];
    },
  };
};

/** Serialises a list as JSON, and selects its columns from the rows of `json_each`. */
interface JsonList {
  readonly columns: string;
  readonly json: (rows: readonly ListRow[]) => string;
}

const listOf = (list: NonNullable<StatementShape["list"]>): JsonList => ({
  columns: Object.keys(list)
    .map((column) => `value ->> '${column}' AS ${column}`)
    .join(", "),
  json: JSON.stringify,
});

/** Claimed items are the members of one object: in a list of objects, SQLite would parse each object twice. */
const heldList: JsonList = {
  columns: "CAST(key AS INTEGER) AS id, value AS fence",
  json: (rows) => `{${rows.map(({ id, fence }) => `"${Number(id)}":${Number(fence)}`).join(",")}}`,
};

/** Returns a statement for PostgreSQL: the call of its function. */
export const postgresStatement = (shape: StatementShape, now: string): Statement => {
  const names = Object.keys(shape.parameters ?? {});
  const columns = Object.entries(shape.list ?? {});
  const places = [...names, ...columns].map((_name, at) => `$${at + 1}`);
  return {
    text: `SELECT * FROM ${functionName(shape)}(${[...places, now].join(", ")})`,
    values: (parameters, rows) => [
      ...names.map((name) => parameters[name] ?? null),
      ...columns.map(([column, type]) => {
        const values = rows.map((row) => row[column] ?? null);
        return type === "text" ? values : numbers(values);
      }),
    ],
  };
};

/** Serialises an array of numbers for PostgreSQL. Faster than `pg`, which searches each element for characters to escape. */
const numbers = (values: readonly SqlScalar[]): string =>
  `{${values.map((value) => (value === null ? "NULL" : String(Number(value)))).join(",")}}`;

/**
 * Returns the SQL that creates the PostgreSQL function of a statement.
 *
 * A plan is cached per connection. A plan from when the table was empty would scan the whole table until the next ANALYZE, however many items
 * are added, so the settings allow only index plans. They apply inside the function only. Just-in-time compilation is off, because the
 * planner's penalty for a disabled sort makes the statement look expensive: PostgreSQL would compile it in each call, which takes 0.2 s.
 */
export const postgresFunction = (shape: StatementShape): string => {
  const types = [
    ...Object.values(shape.parameters ?? {}),
    ...Object.values(shape.list ?? {}).map((type) => `${type}[]`),
    "bigint",
  ];
  const columns = Object.entries(shape.returns).map(([name, type]) => `${name} ${type}`);
  const names = [...Object.keys(shape.parameters ?? {}), ...Object.keys(shape.list ?? {}), "now"];
  return `CREATE FUNCTION ${functionName(shape)} (${types.join(", ")}) RETURNS TABLE (${columns.join(", ")}) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET plan_cache_mode = force_generic_plan SET jit = off AS $work$
#variable_conflict use_column
BEGIN
RETURN QUERY ${shape.postgres(numberPlaceholders(names))};
END $work$;`;
};

const functionName = ({ name }: StatementShape): string => `framework_work_${name}`;

const numberPlaceholders = (names: readonly string[]): Placeholders =>
  Object.fromEntries(names.map((name, at) => [name, `$${at + 1}`]));
