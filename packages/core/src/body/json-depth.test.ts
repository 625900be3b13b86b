import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { ValueError } from "../errors/http-errors.ts";
import { parseJson } from "./json-body.ts";
import { isDeeperThan } from "./json-scan.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const parse = (text: string, options?: Parameters<typeof parseJson>[1]) => parseJson(bytes(text), options);
const nested = (levels: number, inner = "") => "[".repeat(levels) + inner + "]".repeat(levels);

const errorOf = (run: () => unknown): unknown => {
  try {
    run();
    return null;
  } catch (error) {
    return error;
  }
};

test.each([99, 100])("accepts %i levels", (levels) => {
  expect(() => parse(nested(levels, "1"))).not.toThrow();
  expect(() => parse('{"a":'.repeat(levels) + "1" + "}".repeat(levels))).not.toThrow();
});

test.each([101, 10_000, 1_000_000])("rejects %i levels with 400", (levels) => {
  expect(() => parse(nested(levels))).toThrow(ValueError);
  expect(() => parse('{"a":['.repeat(levels))).toThrow("deeper than 100 levels");
});

test("excessive depth is reported before other mistakes, even in short bodies", () => {
  const unit = fc.constantFrom(..."[]{},:1".split(""), '"', "\\", '"a"', "\u00ff");
  const body = fc
    .tuple(fc.string({ unit, maxLength: 12 }), fc.constantFrom([], [0xff]))
    .map(([text, tail]) => Uint8Array.from([...bytes(text), ...tail]));
  fc.assert(
    fc.property(body, fc.integer({ min: 0, max: 4 }), (given, maxDepth) => {
      const error = errorOf(() => parseJson(given, { maxDepth }));
      const reportsDepth =
        (error as ValueError | null)?.detail === `The JSON body is nested deeper than ${maxDepth} levels`;
      expect(reportsDepth).toBe(isDeeperThan(given, maxDepth));
    }),
    { numRuns: 2000 },
  );
});

test("finds depth and overflow next to long strings that contain quotes and backslashes", () => {
  const part = fc.oneof(
    fc.constantFrom('"', "\\", '\\"', "1e400", "[[[["),
    fc.integer({ min: 0, max: 150 }).map((count) => "x".repeat(count)),
  );
  const long = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(
      fc.array(long, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 0, max: 3 }),
      (texts, levels) => {
        const body = `${"[".repeat(levels)}${JSON.stringify([...texts, 1])}${"]".repeat(levels)}`;
        expect(isDeeperThan(bytes(body), levels)).toBe(true);
        expect(isDeeperThan(bytes(body), levels + 1)).toBe(false);
        expect(parse(body)).toEqual(JSON.parse(body));
        expect(() => parse(`[${body},${" ".repeat(300)}1e400]`)).toThrow("out of range");
      },
    ),
    { numRuns: 1000 },
  );
});

test("counts levels, not brackets: wide values and brackets in strings are accepted", () => {
  expect(parse(`[${"[1],{},".repeat(1000)}0]`)).toHaveLength(2001);
  expect(
    parse(JSON.stringify({ a: `"\\${"[".repeat(500)}`, "[[[": ["\\", '"[{'] }), { maxDepth: 2 }),
  ).toMatchObject({ "[[[": ["\\", '"[{'] });
  expect(() => parse("[[1]]", { maxDepth: 1 })).toThrow("deeper than 1 levels");
});
