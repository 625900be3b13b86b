import { expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  buildSchema,
  type DocumentNode,
  GraphQLError,
  parse,
  specifiedRules,
  validate,
  type ValidationRule,
} from "graphql";
import { SCHEMA } from "../library.test-kit.ts";
import { checkDocument } from "./document-limits.ts";
import { neededRules } from "./needed-rules.ts";
import { document } from "./random-documents.test-kit.ts";

const schema = buildSchema(SCHEMA);
const limits = {
  maxDepth: 100,
  maxAliases: 1000,
  maxDirectives: 1000,
  maxFields: 10_000,
  maxFragments: 1000,
};

const mistakesIn = (parsed: DocumentNode, rules: readonly ValidationRule[]): readonly string[] => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0; // creating stacks takes a third of the time of this test
  try {
    return validate(schema, parsed, rules, { maxErrors: 1000 }).map(({ message }) => message);
  } catch (error) {
    return [(error as GraphQLError).message]; // thrown for a subscription with a directive whose argument has the wrong type
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
};

test("the needed rules find every mistake that all rules find", () => {
  let mistakes = 0;
  fc.assert(
    fc.property(document, (text) => {
      const parsed = parse(text);
      const checked = checkDocument(parsed, limits, true);
      if (checked instanceof GraphQLError) return;
      const rules = neededRules(text, parsed.definitions.length, checked.hasRepeats);
      const expected = mistakesIn(parsed, specifiedRules);
      mistakes += expected.length;
      expect(mistakesIn(parsed, rules)).toEqual(expected);
    }),
    { numRuns: 500 },
  );
  expect(mistakes).toBeGreaterThan(500);
});

test("a small query needs few rules; a document with every construct needs all but ExecutableDefinitionsRule", () => {
  expect(neededRules("{ hello }", 1, false).length).toBeLessThan(6);
  const all =
    "query A($a: Int @x) { ...F a: __typename } fragment F on Query { now } subscription B { waits }";
  expect(neededRules(all, 3, true)).toHaveLength(specifiedRules.length - 1);
});
