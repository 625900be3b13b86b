import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { schemaArbitrary } from "./schema-arbitrary.ts";
import { loadPeers } from "./peers.ts";
import { schemaValidator } from "./schema-validator.ts";

const Tree = {
  type: "object",
  properties: {
    name: { type: "string" },
    children: { type: "array", items: { $ref: "#/components/schemas/Tree" } },
  },
  required: ["name", "children"],
  additionalProperties: false,
};
const resolve = (reference: string): unknown =>
  reference === "#/components/schemas/Tree" ? Tree : undefined;
const { Ajv } = await loadPeers();
const violationOf = schemaValidator(Ajv, { components: { schemas: { Tree } } });

const schemas: readonly (readonly [name: string, schema: unknown])[] = [
  ["text with bounds", { type: "string", minLength: 2, maxLength: 4 }],
  ["text with a pattern", { type: "string", pattern: "^[a-f]{3}-\\d+$" }],
  ["a date", { type: "string", format: "date", pattern: "^\\d{4}-\\d\\d-\\d\\d$" }],
  ["a whole number", { type: "integer", exclusiveMinimum: 0, maximum: 10 }],
  ["a large whole number", { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 }],
  ["a number", { type: "number", minimum: 0.5, maximum: 0.75 }],
  ["a multiple", { type: "number", multipleOf: 0.25, minimum: 1, maximum: 3 }],
  ["an enum", { enum: ["a", 1, null, { x: 1 }] }],
  ["an array", { type: "array", items: { type: "boolean" }, minItems: 1, maxItems: 3 }],
  [
    "an array of unique items",
    { type: "array", items: { type: "integer", minimum: 0, maximum: 5 }, uniqueItems: true },
  ],
  [
    "a tuple",
    { type: "array", prefixItems: [{ type: "string" }, { type: "null" }], items: false, minItems: 2 },
  ],
  ["several types", { type: ["string", "null"] }],
  ["anyOf", { anyOf: [{ type: "integer" }, { type: "string", minLength: 1 }] }],
  [
    "allOf",
    {
      allOf: [
        { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        { properties: { b: { type: "integer" } }, required: ["b"] },
      ],
    },
  ],
  ["a record", { type: "object", additionalProperties: { type: "integer" } }],
  ["a tree", { $ref: "#/components/schemas/Tree" }],
];

test.each(schemas)("generated values conform: %s", (_name, schema) => {
  fc.assert(
    fc.property(schemaArbitrary(schema, { fc, resolve, depth: 4 }), (value) => {
      expect(violationOf(schema, value)).toBeNull();
    }),
    { numRuns: 100 },
  );
});

test.each([
  [{ type: "string" }, 1, "the body must be string"],
  [{ type: "string", maxLength: 1 }, "\u{1F600}", null],
  [{ type: "string", nullable: true }, null, null],
  [{ type: "string", format: "date" }, "no date", null],
  [{ multipleOf: 0.1 }, 0.3, null],
  [{ enum: [1, 2] }, 3, "the body must be equal to one of the allowed values: [1,2]"],
  [{ required: ["toString"] }, {}, "the body must have required property 'toString'"],
  [{ items: { type: "string" } }, ["a", 1], "the body/1 must be string"],
  [
    { properties: { a: true }, additionalProperties: false },
    { b: 1 },
    'the body must NOT have additional properties: "b"',
  ],
  [
    { $ref: "#/components/schemas/Tree" },
    { name: "a", children: [{ name: 1 }] },
    "the body/children/0 must have required property 'children'",
  ],
  [{ "x-unknown": true, example: 1 }, 1, null],
  [false, 1, "boolean schema is false"],
  [true, 1, null],
])("%j on %j: %s", (schema, value, problem) => {
  expect(violationOf(schema, value) ?? "conforms").toContain(problem ?? "conforms");
});
