import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { formatHttpDate, parseHttpDate } from "./http-date.ts";

const timestamp = Date.UTC(1994, 10, 6, 8, 49, 37);
const now = Date.UTC(2026, 0, 1);

test.each([
  ["Sun, 06 Nov 1994 08:49:37 GMT", timestamp],
  ["Sunday, 06-Nov-94 08:49:37 GMT", timestamp],
  ["Sun Nov  6 08:49:37 1994", timestamp],
  ["Sun Nov 16 08:49:37 1994", Date.UTC(1994, 10, 16, 8, 49, 37)],
  ["Monday, 06-Nov-76 08:49:37 GMT", Date.UTC(2076, 10, 6, 8, 49, 37)],
  ["Monday, 06-Nov-77 08:49:37 GMT", Date.UTC(1977, 10, 6, 8, 49, 37)],
  ["Sat, 31 Dec 2016 23:59:60 GMT", Date.UTC(2016, 11, 31, 23, 59, 59)],
  ["Thu, 29 Feb 2024 00:00:00 GMT", Date.UTC(2024, 1, 29)],
  ["Wed, 06 Nov 0094 08:49:37 GMT", Date.parse("0094-11-06T08:49:37Z")],
  ["Tue Feb 29 00:00:00 0000", Date.parse("0000-02-29T00:00:00Z")],
])("accepts the date %s", (text, ms) => {
  expect(parseHttpDate(text, now)).toBe(ms);
});

test.each([
  "",
  "0",
  "-1",
  "1994-11-06T08:49:37Z",
  "Sun, 06 Nov 1994 08:49:37",
  "Sun, 06 Nov 1994 08:49:37 UTC",
  "Sun, 6 Nov 1994 08:49:37 GMT",
  "sun, 06 nov 1994 08:49:37 gmt",
  "Sun, 31 Feb 1994 08:49:37 GMT",
  "Sun, 06 Nov 1994 24:49:37 GMT",
  "Sun, 06 Nov 1994 08:60:37 GMT",
  "Sun, 06 Nov 1994 08:49:61 GMT",
  "Sun, 00 Nov 1994 08:49:37 GMT",
  "Sun, 06 Foo 1994 08:49:37 GMT",
  " Sun, 06 Nov 1994 08:49:37 GMT",
])("rejects %j", (text) => {
  expect(parseHttpDate(text, now)).toBeNull();
});

test("round-trips a time in whole seconds", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }), (ms) => {
      expect(parseHttpDate(formatHttpDate(ms))).toBe(ms - (ms % 1000));
    }),
  );
});
