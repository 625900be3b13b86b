import { expect, test } from "@jest/globals";
import type { PoolClient } from "pg";
import type { SqlValue } from "../sql-value.ts";
import { Statement } from "../statement.ts";
import { pg } from "./pg.ts";
import { sendStatement } from "./send-statement.ts";

/** Returns the values passed to `pg`. */
const valuesSent = (values: readonly SqlValue[]): unknown => {
  let received: { readonly values?: unknown } = {};
  const client = { query: (query: object) => void (received = query) } as unknown as PoolClient;
  sendStatement(
    client,
    new Statement("SELECT $1", values),
    { name: undefined } as never,
    { types: pg().types },
    () => {},
  );
  return received.values;
};

test("a Date is sent as its time in UTC, also in a list or nested list; `pg` would use the time zone of the machine", () => {
  const date = new Date("2026-01-01T00:30:00.500Z");
  expect(valuesSent([date, [null, date], [[date]] as never, 1, null])).toEqual([
    "2026-01-01T00:30:00.500Z",
    [null, "2026-01-01T00:30:00.500Z"],
    [["2026-01-01T00:30:00.500Z"]],
    1,
    null,
  ]);
});

test("years before 1 and above 9999 are written as PostgreSQL reads them", () => {
  expect(valuesSent([new Date("+012345-06-07T08:09:10Z"), new Date("0000-12-31T23:00:00Z")])).toEqual([
    "12345-06-07T08:09:10.000Z",
    "0001-12-31T23:00:00.000Z BC",
  ]);
});
