import { expect, test } from "@jest/globals";
import { z } from "zod";
import { checked, describeConfig, flag, integer, list, oneOf, readConfig, text, url } from "../index.ts";
import type { Setting } from "./setting.ts";

const problemsOf = (setting: Setting<unknown>, env: Record<string, string> = {}): string => {
  try {
    return String(readConfig({ setting }, { env }).setting);
  } catch (error) {
    return (error as Error).message;
  }
};

test.each([
  ["a flag", flag("A", { default: "no" as never }), "must be true or false, and not of type string"],
  [
    "a number",
    integer("A", { default: "5" as never }),
    "a whole number of at least 0, and not of type string",
  ],
  ["a text", text("A", { default: null as never }), "must be text, and not of type null"],
  ["a word", oneOf("A", ["5"], { default: 5 as never }), "must be one of 5, and not of type number"],
  [
    "a list",
    list("A", { default: "ab" as never }),
    'must be items, separated by ",", and not of type string',
  ],
  [
    "a list",
    list("A", { default: new Set(["ab"]) as never }),
    'must be items, separated by ",", and not of type object',
  ],
  ["a list", list("A", { default: null as never }), 'must be items, separated by ",", and not of type null'],
])("a default of another type than %s is a problem", (_, setting, message) => {
  expect(problemsOf(setting)).toMatch(/^CONFIG_BAD_SETTING: the default of A /);
  expect(problemsOf(setting)).toContain(message);
});

test("an isItem that throws is a problem of its variable, reported with all others", () => {
  const isItem = (): boolean => {
    throw new Error("no table of items");
  };
  const read = () => readConfig({ a: list("A", { isItem }), b: text("B") }, { env: { A: "x" } });
  expect(read).toThrow(
    'CONFIG_INVALID: A must be items, separated by ",", but isItem threw: no table of items, but is "x"',
  );
  expect(read).toThrow("CONFIG_MISSING: B is missing");
});

test("the schemes of a URL are case-insensitive in the option too", () => {
  expect(problemsOf(url("A", { schemes: ["HTTPS"] }), { A: "https://x.test" })).toBe("https://x.test");
});

test("a default of a checked setting may be any output of its schema", () => {
  const schema = z.string().transform((value) => ({ size: BigInt(value) }));
  const circular: { size: bigint; self?: object } = { size: 5n };
  circular.self = circular;
  const shape = {
    a: checked("A", schema, { default: { size: 5n } }),
    b: checked("B", schema, { default: circular }),
  };
  expect(readConfig(shape, { env: {} })).toEqual({ a: { size: 5n }, b: circular });
  const [a, b] = describeConfig(shape).map((each) => each.default);
  expect([a, b]).toEqual(['{"size":"5"}', expect.stringContaining("Circular")]);
});
