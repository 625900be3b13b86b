import { expect, test } from "@jest/globals";
import { ifRangeHolds, precondition, type Validators } from "./preconditions.ts";

const etag = '"now"';
const lastModifiedMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const current: Validators = { etag, lastModifiedMs };

const requestWith = (method: string, fields: Readonly<Record<string, string | null>>) => ({
  method,
  getHeader: (name: string) => fields[name] ?? null,
});

const same = "Fri, 02 Jan 2026 03:04:05 GMT";
const before = "Fri, 02 Jan 2026 03:04:04 GMT";
const after = "Fri, 02 Jan 2026 03:04:06 GMT";

/** Values of each field, and whether the condition holds; `null` for an absent or ignored field. */
const ifMatch = [
  [null, null],
  [etag, true],
  ["*", true],
  [`"x", ${etag}`, true],
  ['"other"', false],
  [`W/${etag}`, false],
  ["malformed", false],
] as const;
const ifUnmodifiedSince = [
  [null, null],
  [same, true],
  [after, true],
  [before, false],
  ["malformed", null],
] as const;
const ifNoneMatch = [
  [null, null],
  [etag, false],
  [`W/${etag}`, false],
  ["*", false],
  ['"a,b", "other"', true],
  ["malformed", true],
] as const;
const ifModifiedSince = [
  [null, null],
  [same, false],
  [after, false],
  [before, true],
  ["malformed", null],
] as const;

const rows = ["GET", "HEAD", "PUT", "DELETE"].flatMap((method) =>
  ifMatch.flatMap((match) =>
    ifUnmodifiedSince.flatMap((unmodified) =>
      ifNoneMatch.flatMap((none) =>
        ifModifiedSince.map((modified) => ({ method, match, unmodified, none, modified })),
      ),
    ),
  ),
);

type Row = (typeof rows)[number];

/** Follows the steps of RFC 9110 13.2.2 literally. */
const bySpecification = ({ method, match, unmodified, none, modified }: Row): string => {
  const reads = method === "GET" || method === "HEAD";
  if (match[1] !== null && !match[1]) return "failed";
  if (match[1] === null && unmodified[1] === false) return "failed";
  if (none[1] !== null && !none[1]) return reads ? "not-modified" : "failed";
  if (reads && none[1] === null && modified[1] === false) return "not-modified";
  return "proceed";
};

test("every combination of four conditions and four methods is evaluated in the order of RFC 9110", () => {
  const wrong = rows.filter((row) => {
    const { method, match, unmodified, none, modified } = row;
    const fields = {
      "if-match": match[0],
      "if-unmodified-since": unmodified[0],
      "if-none-match": none[0],
      "if-modified-since": modified[0],
    };
    return precondition(requestWith(method, fields), current) !== bySpecification(row);
  });
  expect([wrong, rows.length]).toEqual([[], 4 * 7 * 5 * 6 * 5]);
});

test.each([
  [{ "if-match": "*" }, "failed"],
  [{ "if-match": etag }, "failed"],
  [{ "if-none-match": "*" }, "proceed"],
  [{ "if-modified-since": after }, "proceed"],
  [{ "if-unmodified-since": before }, "proceed"],
])("for a missing resource, %j results in %s", (fields, verdict) => {
  expect(precondition(requestWith("PUT", fields), null)).toBe(verdict);
});

test.each([
  ["PUT", { "if-match": '"now--gzip"' }, "proceed"],
  ["PUT", { "if-match": '"now--br"', "accept-encoding": "identity" }, "proceed"],
  ["PUT", { "if-match": '"old--gzip"' }, "failed"],
  ["PUT", { "if-match": '"now-gzip"' }, "failed"],
  ["PUT", { "if-match": '"now--deflate"' }, "failed"],
  ["PUT", { "if-match": 'W/"now--gzip"' }, "failed"],
  ["PUT", { "if-none-match": '"now--gzip"' }, "failed"],
  ["GET", { "if-none-match": '"now--gzip"', "accept-encoding": "gzip, br" }, "not-modified"],
  ["GET", { "if-none-match": 'W/"now--br"', "accept-encoding": "gzip, br" }, "not-modified"],
  ["GET", { "if-none-match": '"now--gzip"', "accept-encoding": "br" }, "proceed"],
  ["GET", { "if-none-match": '"now--gzip"' }, "proceed"],
  ["GET", { "if-match": '"now--gzip"', "accept-encoding": "gzip" }, "proceed"],
  ["GET", { "if-match": '"now--gzip"', "accept-encoding": "gzip", range: "bytes=9-" }, "failed"],
  ["GET", { "if-match": '"now--gzip"' }, "failed"],
])("%s with the tag of a compressed reply, %j, results in %s", (method, fields, verdict) => {
  expect(precondition(requestWith(method, fields as Record<string, string>), current)).toBe(verdict);
});

test("the tag of a compressed reply allows no partial reply, because ranges refer to the plain body", () => {
  expect(ifRangeHolds(requestWith("GET", { "if-range": '"now--gzip"' }), current)).toBe(false);
});

test("a state without validators matches only *", () => {
  const fields = [
    { "if-match": "*" },
    { "if-match": etag },
    { "if-none-match": etag },
    { "if-modified-since": after },
  ];
  expect(fields.map((field) => precondition(requestWith("GET", field), {}))).toEqual([
    "proceed",
    "failed",
    "proceed",
    "proceed",
  ]);
});

test.each([
  [null, true],
  [etag, true],
  [`W/${etag}`, false],
  ['"other"', false],
  [same, true],
  [before, false],
  [after, false],
  ["malformed", false],
])("If-Range: %s allows a partial reply: %p", (field, holds) => {
  expect(ifRangeHolds(requestWith("GET", { "if-range": field }), current)).toBe(holds);
});

test.each([
  [0, false],
  [999, false],
  [1000, true],
])("a date of %d ms before the reply allows a partial reply: %p", (ageMs, holds) => {
  const lastModifiedMs = Date.parse(same);
  const state = { lastModifiedMs, dateMs: lastModifiedMs + ageMs };
  expect(ifRangeHolds(requestWith("GET", { "if-range": same }), state)).toBe(holds);
});

test("a state with only a weak tag never allows a partial reply", () => {
  const weak = { etag: 'W/"now"', lastModifiedMs: null };
  expect(ifRangeHolds(requestWith("GET", { "if-range": 'W/"now"' }), weak)).toBe(false);
  expect(ifRangeHolds(requestWith("GET", { "if-range": same }), weak)).toBe(false);
});
