import { expect, test } from "@jest/globals";
import { z } from "zod";
import { listNamesOf } from "./list-names.ts";
import type { StandardSchema } from "./standard-schema.ts";

const schemaOf = (convert: (() => unknown) | undefined): StandardSchema => {
  const standard = { version: 1 as const, vendor: "test", validate: (value: unknown) => ({ value }) };
  return { "~standard": Object.assign(standard, convert && { jsonSchema: { input: convert } }) };
};
const namesIn = (schema: StandardSchema) => {
  const lists = listNamesOf(schema);
  const names = ["a", "b", "c", "__proto__"].filter((name) => lists.has(name));
  expect(lists.isEmpty).toBe(names.length === 0);
  return names;
};
const namesOf = (schema: unknown) => namesIn(schemaOf(() => schema));

const list = { type: "array" };

test.each<[string, unknown, string[]]>([
  ["a list", { properties: { a: list, b: { type: "string" } } }, ["a"]],
  [
    "a list or null",
    { properties: { a: { type: ["array", "null"] }, b: { anyOf: [list, { type: "null" }] } } },
    ["a", "b"],
  ],
  ["a list or a string", { properties: { a: { type: ["array", "string"] }, b: { oneOf: [list, {}] } } }, []],
  [
    "a list or a type other than string",
    {
      properties: {
        a: { anyOf: [list, { type: "number" }] },
        b: { type: ["array", "boolean"] },
        c: { anyOf: [{ type: "number" }, { type: "null" }] },
      },
    },
    ["a", "b"],
  ],
  ["all properties of a record", { additionalProperties: list }, ["a", "b", "c", "__proto__"]],
  [
    "all other properties",
    { properties: { a: { type: "string" }, b: list }, additionalProperties: list },
    ["b", "c", "__proto__"],
  ],
  ["no other properties", { properties: { a: list }, additionalProperties: { type: "string" } }, ["a"]],
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
  ["a circular reference", { $ref: "#" }, []],
  [
    "nested circular references",
    { allOf: [{ $ref: "#" }], properties: { a: { anyOf: [{ $ref: "#/properties/a" }] }, b: list } },
    ["b"],
  ],
  [
    "many circular references",
    {
      allOf: Array(40).fill({ $ref: "#" }),
      properties: { a: { oneOf: Array(40).fill({ $ref: "#/properties/a" }) } },
    },
    [],
  ],
  ["an external reference", { $ref: "https://host.test/schema" }, []],
  ["a schema that is not an object", true, []],
])("names of the properties that are lists: %s", (_, schema, names) => {
  expect(namesOf(schema)).toEqual(names);
});

test("a schema without a JSON Schema, or whose library cannot create one, has no list names", () => {
  const failing = () => {
    throw new Error("not supported");
  };
  expect([...namesIn(schemaOf(undefined)), ...namesIn(schemaOf(failing))]).toEqual([]);
  expect(namesIn(z.object({ a: z.array(z.date()), b: z.date() }))).toEqual(["a"]);
});
