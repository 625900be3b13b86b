import { expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  buildSchema,
  GraphQLError,
  KnownFragmentNamesRule,
  Lexer,
  NoFragmentCyclesRule,
  NoUnusedFragmentsRule,
  parse,
  Source,
  TokenKind,
  UniqueFragmentNamesRule,
  validate,
} from "graphql";
import { SCHEMA } from "../library.test-kit.ts";
import { checkDocument } from "./document-limits.ts";
import { document } from "./random-documents.test-kit.ts";
import { excessInJson, excessOf } from "./text-limits.ts";

/** Returns the highest of three counts of GraphQL's lexer: tokens, comments and lines; `null` for a text that the lexer refuses. */
const lexerCount = (text: string): number | null => {
  const lexer = new Lexer(new Source(text));
  let tokens = 0;
  try {
    while (lexer.advance().kind !== TokenKind.EOF) tokens++;
  } catch {
    return null;
  }
  let comments = 0;
  for (let each = lexer.token.prev; each !== null; each = each.prev)
    if (each.kind === TokenKind.COMMENT) comments++;
  return Math.max(tokens, comments, text.match(/\r\n|\n|\r/g)?.length ?? 0);
};

const unlimited = { maxDepth: 1e6, maxAliases: 1e6, maxDirectives: 1e6, maxFragments: 1e6 };

const ownCount = (text: string): number => {
  let limit = 0;
  while (excessOf(text, { ...unlimited, maxTokens: limit }) === "maxTokens") limit++;
  return limit;
};

const pieces = ["a", "_b1", "12", "-1.5e+3", "0", "...", "{", "}", "(", ":", "$", "!", "=", "@", "|", "&"];
const strings = [
  '""',
  '"a b"',
  '"\\""',
  '"\\\\"',
  '"""a "quoted" \\""" end"""',
  '""""""',
  "#x { a }\n",
  "#\r",
  "é",
];
const blanks = [" ", "\n", ",", "\t", "\ufeff", ""];

test("excessOf never counts more tokens, comments or lines than the lexer, if the lexer accepts the text", () => {
  const piece = fc.tuple(fc.constantFrom(...pieces, ...strings), fc.constantFrom(...blanks));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (parts) => {
      const text = parts.flat().join("");
      expect(ownCount(text)).toBeLessThanOrEqual(lexerCount(text) ?? Infinity);
    }),
    { numRuns: 2000 },
  );
});

test("excessOf counts the same as the lexer if blanks separate all tokens", () => {
  const tokens = [...pieces, ...strings.filter((each) => each.startsWith('"'))].map((each) => `${each}   `);
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...tokens), { minLength: 1, maxLength: 30 }), (parts) => {
      const text = parts.join(" ");
      expect(ownCount(text)).toBe(lexerCount(text));
    }),
  );
});

/** Returns the text as a JSON string in which each `every`th character is an escape. */
const jsonOf = (text: string, every = Infinity): Uint8Array => {
  let json = "";
  for (let at = 0; at < text.length; at += every) {
    if (every !== Infinity) json += `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`;
    json += JSON.stringify(text.slice(every === Infinity ? 0 : at + 1, at + every)).slice(1, -1);
  }
  return Buffer.from(`"${json}" , "query": "{ { { {"`);
};

test("excessInJson counts the same in a JSON string, including its escapes", () => {
  const limit = fc.integer({ min: 0, max: 4 });
  const limits = fc.record({
    maxTokens: fc.integer({ min: 0, max: 40 }),
    maxDepth: limit,
    maxAliases: limit,
    maxDirectives: limit,
    maxFragments: limit,
  });
  const part = fc.tuple(fc.constantFrom(...pieces, ...strings.slice(0, -1)), fc.constantFrom(...blanks));
  const text = fc.oneof(
    document,
    fc.array(part, { maxLength: 30 }).map((parts) => parts.flat().join("")),
  );
  fc.assert(
    fc.property(text, limits, fc.integer({ min: 1, max: 20 }), (given, bounds, every) => {
      const expected = excessOf(given, bounds);
      const escaped = jsonOf(given, every);
      expect(JSON.parse(Buffer.from(escaped).toString().split('" ,')[0] + '"')).toBe(given);
      expect(excessInJson(escaped, 1, bounds)).toEqual(expected);
      expect(excessInJson(jsonOf(given), 1, bounds)).toEqual(expected);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ["lists in a value", `{ hello(a: ${"[".repeat(101)}${"]".repeat(101)}) }`, "levels"],
  ["objects in a value", `{ hello(a: ${"{ b: ".repeat(101)} 1 ${"}".repeat(101)}) }`, "levels"],
  ["lists of a type", `query($a: ${"[".repeat(101)}Int${"]".repeat(101)}) { hello }`, "levels"],
  ["inline fragments", `{ ${"... { ".repeat(101)} hello ${"}".repeat(101)} }`, "levels"],
  ["lines", `{ hello ${"\n".repeat(1001)} }`, "maxTokens"],
  ["lines of a block string", `{ hello(a: """${"\r\n".repeat(1001)}""") }`, "maxTokens"],
  ["lines that end with CR", `{ hello ${"\r".repeat(1001)} }`, "maxTokens"],
])("excessOf limits %s", (_name, text, excess) => {
  const limits = { ...unlimited, maxTokens: 1000 };
  expect(excessOf(text, limits)).toBe(excess);
  const fewer = text.replace(/\r\n|[\n\r]|\[(?=.*\])|\{ b:|\.\.\. \{/, " ");
  expect(excessOf(fewer, limits)).toBeNull();
});

test.each([
  ["{ ...A } fragment A on Query { ...A }", "A"],
  ["{ ...B } fragment A on Query { now ...B } fragment B on Query { a { ... on Book { ...A } } }", "B"],
  ["fragment on2 on Query { ...fragment } fragment fragment on Query { ...on2 @skip(if: true) }", "on2"],
  ["{ ...A ...A } fragment A on Query { ...B ...B } fragment B on Query { now }", null],
  ["{ ...A } query B { ...B } fragment A on Query { ...C }", null],
  ['{ ...A } fragment A on Query { hello(name: "...A") # ...A\n }', null],
])("excessOf finds the fragment cycle in %s", (text, fragment) => {
  const expected = fragment === null ? null : { fragment };
  expect(excessOf(text, { ...unlimited, maxTokens: 1000 })).toEqual(expected);
});

const schema = buildSchema(SCHEMA);
const fragmentRules = [UniqueFragmentNamesRule, KnownFragmentNamesRule, NoUnusedFragmentsRule];
/** Whether the spread fragments of a document are exactly the defined ones, each defined once: a cheap filter, because validation is slow. */
const definesAllSpreads = (text: string): boolean =>
  ["F", "G"].every(
    (name) =>
      text.split(`fragment ${name}`).length - 1 === Number(new RegExp(`\\.\\.\\. ?${name}`).test(text)),
  );

test("excessOf never refuses a document within the exact limits; without fragments it is exact for depth and directives", () => {
  const limit = fc.integer({ min: 0, max: 4 });
  const limits = fc.record({ maxDepth: limit, maxAliases: limit, maxDirectives: limit, maxFragments: limit });
  let refusals = 0;
  fc.assert(
    fc.property(document, limits, (text, given) => {
      fc.pre(definesAllSpreads(text));
      const parsed = parse(text);
      fc.pre(validate(schema, parsed, fragmentRules).length === 0);
      const exact = checkDocument(parsed, { ...given, maxFields: 1e6 }, true);
      const found = excessOf(text, { ...given, maxTokens: 1e6 });
      if (found !== null) refusals++;
      if (typeof found === "object" && found !== null)
        return validate(schema, parsed, [NoFragmentCyclesRule]).length > 0;
      if (found !== null || !(exact instanceof GraphQLError))
        return found === null || exact instanceof GraphQLError;
      return /[FG]/.test(text) || exact.extensions["limit"] === "maxAliases"; // repeated names are found only in the parsed document
    }),
    { numRuns: 400 },
  );
  expect(refusals).toBeGreaterThan(40);
});

test.each([
  ["query ($a: Int @x(y: 1), $b: Int, $c: [Int] = { d: 1 }) { hello }", { maxAliases: 0 }],
  ["query fragment { hello } query B { fragment }", { maxFragments: 0 }],
  ["{ a: hello } { a: hello }", { maxAliases: 1 }],
  ["{ ... { ... on Query { ... @skip(if: true) { hello } } } }", { maxDepth: 1 }],
  ['{ hello(text: "} @ : {") # @ : {\n }', { maxDepth: 1, maxAliases: 0, maxDirectives: 0 }],
])("%s is within %j", (text, limits) => {
  expect(excessOf(text, { ...unlimited, maxTokens: 1e6, ...limits })).toBeNull();
});
