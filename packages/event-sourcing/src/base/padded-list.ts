import { sql, type SqlValue, type Statement } from "@framework/database";

/** Returns a list for `IN (…)`, padded with its last value to a power of two: fewer lengths mean fewer prepared statements. */
export const paddedList = (values: readonly SqlValue[]): Statement => {
  const last = values.at(-1) ?? null;
  const length = 2 ** Math.ceil(Math.log2(Math.max(1, values.length)));
  return sql.list([...values, ...Array<SqlValue>(length - values.length).fill(last)]);
};
