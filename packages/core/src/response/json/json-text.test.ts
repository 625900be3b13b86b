import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { toJsonText } from "./json-text.ts";

const cycle: Record<string, unknown> = { books: [{}, { author: {} }] };
(cycle["books"] as Record<string, unknown>[])[1] = { author: cycle };
const itself: unknown[] = [];
itself.push(1, itself);
const repeated = { x: 1 };
const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = { a: value };
  return value;
};

test("writes the same text as JSON.stringify", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => expect(toJsonText(value)).toBe(JSON.stringify(value))));
});

test.each<[string, unknown, RegExp]>([
  ["a bigint", 5n, /: \$ is a bigint$/],
  ["a bigint inside", { books: [1, {}, {}, { id: 5n }] }, /: \$\.books\[3\]\.id is a bigint$/],
  ["a boxed bigint", { id: Object(5n) as unknown }, /\$\.id is a bigint/],
  ["a bigint from toJSON", { at: { toJSON: () => ({ id: 1n }) } }, /\$\.at\.id is a bigint/],
  ["a key that is not an identifier", { "a b": [{ '"': 1n }] }, /\$\["a b"\]\[0\]\["\\""\] is a bigint/],
  ["a cycle", cycle, /: \$\.books\[1\]\.author is a cycle back to \$$/],
  ["an array that contains itself", { list: itself }, /: \$\.list\[1\] is a cycle back to \$\.list$/],
  ["a bigint after repeated values", { a: repeated, b: [repeated, 1n] }, /\$\.b\[1\] is a bigint/],
  ["undefined", undefined, /\$ is undefined/],
  ["a function", () => {}, /\$ is a function/],
  ["a symbol", Symbol("x"), /\$ is a symbol/],
  ["toJSON that returns nothing", { toJSON: () => undefined }, /toJSON returns nothing/],
])("the error names the path of %s", (_what, value, message) => {
  expect(() => toJsonText(value)).toThrow(expect.objectContaining({ code: "CORE_BAD_REPLY" }));
  expect(() => toJsonText(value)).toThrow(message);
});

test("reports nesting that is too deep to write", () => {
  const write = () => toJsonText(nested(200_000), { bigint: true });
  expect(write).toThrow(expect.objectContaining({ code: "CORE_BAD_REPLY" }));
  expect(write).toThrow(/\$\.a\.a.*… is nested too deeply/);
});

test("reports a value whose toJSON nests it without end", () => {
  const endless = { toJSON: () => ({ next: endless }) };
  expect(() => toJsonText(endless)).toThrow(/\$\.next\.next.*… is nested too deeply/);
});

test("a repeated value is not a cycle", () => {
  const shared = { a: 1 };
  expect(toJsonText([shared, shared])).toBe('[{"a":1},{"a":1}]');
  expect(() => toJsonText([shared, shared, 1n])).toThrow(/\$\[2\] is a bigint/);
});

test("calls toJSON", () => {
  expect(toJsonText({ at: new Date(0), me: { toJSON: (key: string) => key } })).toBe(
    '{"at":"1970-01-01T00:00:00.000Z","me":"me"}',
  );
});

test("errors from a getter, a proxy or toJSON are passed on", () => {
  const own = new RangeError("mine");
  const failing = () => {
    throw own;
  };
  for (const value of [
    { toJSON: failing },
    Object.defineProperty({}, "x", { get: failing, enumerable: true }),
    new Proxy({}, { ownKeys: failing }),
  ]) {
    expect(() => toJsonText({ inside: value })).toThrow(own);
  }
});

test("bigint: true writes exact numbers and still reports cycles", () => {
  expect(toJsonText({ id: 12345678901234567890n, list: [1n] }, { bigint: true })).toBe(
    '{"id":12345678901234567890,"list":[1]}',
  );
  expect(() => toJsonText({ id: 1n, cycle }, { bigint: true })).toThrow(
    /\$\.cycle\.books\[1\]\.author is a cycle back to \$\.cycle$/,
  );
});
