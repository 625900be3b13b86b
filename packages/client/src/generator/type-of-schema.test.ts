import { expect, test } from "@jest/globals";
import { OpenapiReader } from "./openapi-reader.ts";
import { typeOfSchema } from "./type-of-schema.ts";

const Named = { type: "string" };
const document = new OpenapiReader({
  components: {
    schemas: { A: Named, "A/B": Named },
    headers: { H: { schema: { type: "array", items: { $ref: "#/components/headers/H/schema" } } } },
  },
});

test.each([
  [true, "unknown"],
  [undefined, "unknown"],
  [false, "never"],
  [{}, "unknown"],
  [{ type: "string", minLength: 1 }, "string"],
  [{ type: "integer" }, "number"],
  [{ type: ["string", "null"] }, "string | null"],
  [{ type: "string", nullable: true }, "string | null"],
  [{ const: "a" }, '"a"'],
  [{ type: "number", const: 1 }, "1"],
  [{ enum: ["a", 1, null, true] }, '"a" | 1 | null | true'],
  [{ enum: ["a", { b: 1 }] }, "unknown"],
  [{ enum: [1, Number("1e400")] }, "1 | number"],
  [{ anyOf: [{ type: "string" }, { type: "number" }, { type: "integer" }] }, "string | number"],
  [{ oneOf: [{ type: "string" }, {}] }, "unknown"],
  [{ anyOf: [false, { type: "null" }] }, "null"],
  [
    { allOf: [{ $ref: "#/components/schemas/A" }, { properties: { b: true } }] },
    'Schemas["A"] & { b?: unknown }',
  ],
  [{ allOf: [{ anyOf: [{ type: "string" }, { type: "null" }] }, { const: "x" }] }, '(string | null) & "x"'],
  [{ type: "array", items: { type: ["string", "null"] } }, "(string | null)[]"],
  [{ type: "array" }, "unknown[]"],
  [
    { type: "array", items: { type: "array", items: { $ref: "#/components/schemas/A~1B" } } },
    'Schemas["A/B"][][]',
  ],
  [{ prefixItems: [{ type: "string" }], items: { type: "number" } }, "[string, ...number[]]"],
  [{ type: "array", prefixItems: [{ type: "string" }], items: false }, "[string]"],
  [{ $ref: "#/components/headers/H/schema" }, "unknown[]"],
  [{ $ref: "#/components/schemas/None" }, "unknown"],
  [{ $ref: "https://elsewhere.example/schema.json" }, "unknown"],
  [{ type: "string", format: "binary" }, "Blob"],
  [{ enum: ["\u202e*/ \u2028"] }, '"\\u202e*/ \\u2028"'],
  [
    { properties: { __proto__x: true, ["__proto__"]: { type: "string" }, "a b": true } },
    '{ __proto__x?: unknown; __proto__?: string; "a b"?: unknown }',
  ],
  [{ type: "object" }, "Record<string, unknown>"],
  [{ type: "object", additionalProperties: { type: "number" } }, "Record<string, number>"],
  [{ type: "object", properties: {}, additionalProperties: false }, "Record<string, never>"],
  [
    { type: "object", properties: { a: { type: "string" }, "b-c": { type: "null" } }, required: ["a"] },
    '{ a: string; "b-c"?: null }',
  ],
  [
    { properties: { a: { type: "string" } }, additionalProperties: { type: "string" } },
    "{ a?: string; [name: string]: unknown }",
  ],
])("%j is %s", (schema, type) => {
  expect(typeOfSchema(schema, document)).toBe(type);
});

test("a short document whose references double at every level has a bounded type", () => {
  const levels = Array.from({ length: 28 }, (_, level) => {
    const next = { $ref: `#/x-levels/${level + 1}` };
    return { properties: { a: next, b: next } };
  });
  const doubling = new OpenapiReader({ "x-levels": [...levels, Named] });
  const type = typeOfSchema({ $ref: "#/x-levels/0" }, doubling);
  expect(type).toContain("a?: string");
  expect(type).toContain("b?: unknown");
});
