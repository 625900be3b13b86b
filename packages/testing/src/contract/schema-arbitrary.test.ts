import { expect, test } from "@jest/globals";
import { loadPeers } from "./peers.ts";
import { schemaArbitrary } from "./schema-arbitrary.ts";
import { schemaValidator } from "./schema-validator.ts";

const { fc, Ajv } = await loadPeers();

test.each([
  { type: "number", exclusiveMinimum: 5, exclusiveMaximum: 6 },
  { type: "number", minimum: 5, maximum: 5 },
  { type: "number", exclusiveMinimum: 2e9 },
  { type: "number", exclusiveMaximum: -2e9 },
  { type: "number", exclusiveMaximum: 0 },
  { type: "integer", maximum: -2e9 },
  { type: "number", minimum: 5, exclusiveMinimum: 4, maximum: 7, exclusiveMaximum: 7 },
  { type: "number", exclusiveMinimum: 5, exclusiveMaximum: 7, multipleOf: 0.5 },
  { type: "integer", exclusiveMinimum: 5, exclusiveMaximum: 7 },
  { type: "integer", exclusiveMinimum: 5, maximum: 12, multipleOf: 3 },
  { type: "integer", exclusiveMaximum: -3, minimum: -6 },
])("every number that is generated from %j conforms to it", (schema) => {
  const validate = schemaValidator(Ajv, {});
  const context = { fc, resolve: () => undefined, depth: 4 };
  const arbitrary = schemaArbitrary(schema, context);
  expect(
    fc.sample(arbitrary, { seed: 1, numRuns: 500 }).filter((each) => validate(schema, each) !== null),
  ).toEqual([]);
});
