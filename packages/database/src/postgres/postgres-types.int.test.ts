import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { openDatabase } from "../index.ts";

/** Values as PostgreSQL prints them, and the expected JavaScript values. */
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

  test.each([
    ["2026-01-01T00:30:00.500Z", "2026-01-01 00:30:00.5", "2026-01-01"],
    ["+012345-06-07T08:09:10Z", "12345-06-07 08:09:10", "12345-06-07"],
    ["0001-01-01T00:00:00Z", "0001-01-01 00:00:00", "0001-01-01"],
    ["0000-12-31T23:00:00Z", "0001-12-31 23:00:00 BC", "0001-12-31 BC"],
  ])("a Date is stored as its time in UTC: %s", async (at, time, day) => {
    const db = openDatabase({ url: server });
    const date = new Date(at);
    const row =
      await db.fetchOne`SELECT CAST(${date} AS timestamp)::text AS time, CAST(${date} AS date)::text AS day,
      CAST(${[date, null]} AS timestamp[])::text AS times, CAST(${date} AS timestamptz) AS instant`;
    expect(row).toEqual({ time, day, times: `{"${time}",NULL}`, instant: date });
    await db.close();
  });
});
