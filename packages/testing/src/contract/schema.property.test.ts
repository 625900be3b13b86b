import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { schemaArbitrary } from "./schema-arbitrary.ts";
import { schemaViolation } from "./schema-violation.ts";

const definitions: Record<string, unknown> = {
  "#/components/schemas/Tree": {
    type: "object",
    properties: {
      name: { type: "string" },
      children: { type: "array", items: { $ref: "#/components/schemas/Tree" } },
    },
    required: ["name", "children"],
    additionalProperties: false,
  },
};
const resolve = (reference: string): unknown => definitions[reference];

const schemas: readonly (readonly [name: string, schema: unknown])[] = [
  ["text with bounds", { type: "string", minLength: 2, maxLength: 4 }],
  ["text with a pattern", { type: "string", pattern: "^[a-f]{3}-\\d+$" }],
  ["a date", { type: "string", format: "date", pattern: "^\\d{4}-\\d\\d-\\d\\d$" }],
  ["a whole number", { type: "integer", exclusiveMinimum: 0, maximum: 10 }],
  ["a large whole number", { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 }],
  ["a number", { type: "number", minimum: 0.5, maximum: 0.75 }],
  ["steps", { type: "number", multipleOf: 0.25, minimum: 1, maximum: 3 }],
  ["one of some", { enum: ["a", 1, null, { x: 1 }] }],
  ["a list", { type: "array", items: { type: "boolean" }, minItems: 1, maxItems: 3 }],
  ["a set", { type: "array", items: { type: "integer", minimum: 0, maximum: 5 }, uniqueItems: true }],
  [
    "a pair",
    { type: "array", prefixItems: [{ type: "string" }, { type: "null" }], items: false, minItems: 2 },
  ],
  ["types", { type: ["string", "null"] }],
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

test.each(schemas)("made values fit: %s", (_name, schema) => {
  fc.assert(
    fc.property(schemaArbitrary(schema, { fc, resolve, depth: 4 }), (value) => {
      expect(schemaViolation(schema, value, resolve)).toBeNull();
    }),
    { numRuns: 100 },
  );
});

test.each([
  [{ type: "string" }, 1, "the body must be string, not integer"],
  [{ type: "integer" }, 1.5, "the body must be integer, not number"],
  [{ type: "number" }, 1, null],
  [{ type: "string", maxLength: 1 }, "\u{1F600}", null],
  [{ type: "string", minLength: 2 }, "\u{1F600}", "the body breaks minLength 2"],
  [{ maximum: 3 }, 4, "the body breaks maximum 3"],
  [{ exclusiveMaximum: 3 }, 3, "the body breaks exclusiveMaximum 3"],
  [{ multipleOf: 0.1 }, 0.3, null],
  [{ const: { a: 1, b: 2 } }, { b: 2, a: 1 }, null],
  [{ enum: [1, 2] }, 3, "the body must be one of [1,2]"],
  [{ not: { type: "null" } }, null, "the body fits what it must not be"],
  [{ oneOf: [{ type: "integer" }, { minimum: 0 }] }, 1, "the body fits 2 of oneOf"],
  [{ anyOf: [{ type: "string" }, { type: "null" }] }, 1, "fits none of anyOf"],
  [{ allOf: [{ minimum: 0 }, { maximum: 1 }] }, 2, "the body breaks maximum 1"],
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword
  [{ if: { type: "string" }, then: { minLength: 1 }, else: false }, 1, "the body must not be there"],
  [{ items: { type: "string" } }, ["a", 1], "the body[1] must be string"],
  [{ prefixItems: [{ type: "string" }], items: false }, ["a", 1], "the body[1] must not be there"],
  [{ uniqueItems: true }, [{ a: 1 }, { a: 1 }], "the body repeats an item"],
  [{ properties: { a: { type: "string" } } }, { a: 1 }, "the body.a must be string"],
  [{ required: ["toString"] }, {}, "the body.toString is missing"],
  [
    { properties: { a: true }, additionalProperties: false },
    { constructor: 1 },
    "the body.constructor must not be there",
  ],
  [{ patternProperties: { "^x-": { type: "string" } } }, { "x-a": 1 }, "the body.x-a must be string"],
  [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, "breaks maxLength 1"],
  [
    { $ref: "#/components/schemas/Tree" },
    { name: "a", children: [{ name: 1 }] },
    "the body.children[0].children is missing",
  ],
  [false, 1, "the body must not be there"],
  [true, 1, null],
])("%j on %j: %s", (schema, value, problem) => {
  expect(schemaViolation(schema, value, resolve) ?? "fits").toContain(problem ?? "fits");
});
