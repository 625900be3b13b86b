import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { openDatabase } from "../index.ts";

/** Values as PostgreSQL prints them, and what a column of them gives. */
const values: Readonly<Record<string, readonly (readonly [printed: string, given: unknown])[]>> = {
  bigint: [
    ["5", 5],
    ["-9007199254740993", -9_007_199_254_740_993n],
  ],
  numeric: [
    ["12345678901234567890.12", "12345678901234567890.12"],
    ["NaN", "NaN"],
  ],
  date: [
    ["2024-03-10", "2024-03-10"],
    ["infinity", "infinity"],
  ],
  timestamp: [["2024-03-10 02:30:00.123456", "2024-03-10 02:30:00.123456"]],
  timestamptz: [["2024-03-10 02:30:00+00", new Date("2024-03-10T02:30:00Z")]],
};

withServer("postgres", (server) => {
  test.each(Object.entries(values))("values of %s are exact, alone and in arrays", async (type, pairs) => {
    const db = openDatabase({ url: server });
    const given = pairs.map(([, value]) => value);
    for (const [printed, value] of pairs)
      expect(await db.fetchValue(`SELECT CAST('${printed}' AS ${type})`)).toEqual(value);
    const list = `ARRAY['${pairs.map(([printed]) => printed).join("', '")}', NULL]::${type}[]`;
    expect(await db.fetchValue(`SELECT ${list}`)).toEqual([...given, null]);
    expect(await db.fetchValue(`SELECT ARRAY[${list}, ${list}]`)).toEqual([
      [...given, null],
      [...given, null],
    ]);
    expect(await db.fetchValue(`SELECT '{}'::${type}[]`)).toEqual([]);
    expect(await db.fetchValue(`SELECT NULL::${type}[]`)).toBeNull();
    await db.close();
  });
});
