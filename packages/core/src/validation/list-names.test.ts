import { expect, test } from "@jest/globals";
import { z } from "zod";
import { listNamesOf } from "./list-names.ts";
import type { StandardSchema } from "./standard-schema.ts";

const schemaOf = (convert: (() => unknown) | undefined): StandardSchema => {
  const standard = { version: 1 as const, vendor: "test", validate: (value: unknown) => ({ value }) };
  return { "~standard": Object.assign(standard, convert && { jsonSchema: { input: convert } }) };
};
const namesOf = (schema: unknown) => [...listNamesOf(schemaOf(() => schema))];

const list = { type: "array" };

test.each<[string, unknown, string[]]>([
  ["a list", { properties: { a: list, b: { type: "string" } } }, ["a"]],
  [
    "a list or null",
    { properties: { a: { type: ["array", "null"] }, b: { anyOf: [list, { type: "null" }] } } },
    ["a", "b"],
  ],
  ["a list or a text", { properties: { a: { type: ["array", "string"] }, b: { oneOf: [list, {}] } } }, []],
  [
    "a reference",
    { $ref: "#/$defs/Q", $defs: { Q: { properties: { a: { $ref: "#/$defs/a~1b" } } }, "a/b": list } },
    ["a"],
  ],
  ["allOf", { allOf: [{ properties: { a: list } }, { properties: { b: list } }] }, ["a", "b"]],
  [
    "alternatives",
    { oneOf: [{ properties: { a: list } }, { anyOf: [{ properties: { b: list } }, { type: "null" }] }] },
    ["a", "b"],
  ],
  ["a circle", { $ref: "#" }, []],
  [
    "circles below",
    { allOf: [{ $ref: "#" }], properties: { a: { anyOf: [{ $ref: "#/properties/a" }] }, b: list } },
    ["b"],
  ],
  [
    "many circles",
    {
      allOf: Array(40).fill({ $ref: "#" }),
      properties: { a: { oneOf: Array(40).fill({ $ref: "#/properties/a" }) } },
    },
    [],
  ],
  ["a foreign reference", { $ref: "https://host.test/schema" }, []],
  ["no object", true, []],
])("names of the properties that are lists: %s", (_, schema, names) => {
  expect(namesOf(schema)).toEqual(names);
});

test("a schema without a JSON Schema, or whose library cannot express it, names none", () => {
  const failing = () => {
    throw new Error("not supported");
  };
  expect([...listNamesOf(schemaOf(undefined)), ...listNamesOf(schemaOf(failing))]).toEqual([]);
  expect([...listNamesOf(z.object({ a: z.array(z.date()), b: z.date() }))]).toEqual(["a"]);
});
