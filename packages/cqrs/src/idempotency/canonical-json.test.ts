import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { canonicalJson } from "./canonical-json.ts";

/** Reverses the order of the members of every object. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reversed(member)]),
  );
};

test("equal values give equal strings in any order of members, and the strings parse to the values", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value, "it");
      expect(canonicalJson(reversed(value), "it")).toBe(text);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("different values give different strings", () => {
  for (const [a, b] of [
    [{ a: 1 }, { a: "1" }],
    [
      [1, 2],
      [2, 1],
    ],
    [{ __proto__: null, a: 1 }, { a: 2 }],
    [JSON.parse('{"__proto__":{"a":1}}'), {}],
    [undefined, null],
  ])
    expect(canonicalJson(a, "it")).not.toBe(canonicalJson(b, "it"));
});

test.each([
  [{ b: [1n] }, "$.b[0] is a bigint"],
  [{ tags: new Set(["a"]) }, "$.tags is a Set"],
  [{ a: { b: new Map() } }, "$.a.b is a Map"],
  [{ total: Number.NaN }, "$.total is NaN"],
  [{ total: -Infinity }, "$.total is -Infinity"],
  [{ call() {} }, "$.call is a function"],
  [Number.NaN, "$ is NaN"],
])("a value that JSON cannot represent is refused with its path: %p", (value, problem) => {
  expect(() => canonicalJson(value, "the input of command Pay")).toThrow(
    expect.objectContaining({ code: "CQRS_BAD_INPUT", message: expect.stringContaining(problem) }),
  );
});

test("a date is accepted, and a cycle is refused", () => {
  expect(canonicalJson({ b: "1", a: new Date(0) }, "it")).toBe('{"a":"1970-01-01T00:00:00.000Z","b":"1"}');
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  expect(() => canonicalJson(cycle, "it")).toThrow("nested too deeply");
  const list: unknown[] = [];
  list.push(list);
  expect(() => canonicalJson({ list }, "it")).toThrow("nested too deeply");
});
