import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { Lexer, Source, TokenKind } from "graphql";
import { hasMoreTokens } from "./token-count.ts";

/** The tokens or the comments, whichever are more, that GraphQL's lexer finds; `null` for a text that it refuses. */
const lexed = (text: string): number | null => {
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
  return Math.max(tokens, comments);
};

const counted = (text: string): number => {
  let limit = 0;
  while (hasMoreTokens(text, limit)) limit++;
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

test("never counts more tokens or comments than the lexer, for any text that it accepts", () => {
  const piece = fc.tuple(fc.constantFrom(...pieces, ...strings), fc.constantFrom(...blanks));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (parts) => {
      const text = parts.flat().join("");
      expect(counted(text)).toBeLessThanOrEqual(lexed(text) ?? Infinity);
    }),
    { numRuns: 2000 },
  );
});

test("counts what the lexer counts where blanks separate tokens that are longer than a character", () => {
  const tokens = [...pieces, ...strings.filter((each) => each.startsWith('"'))].map((each) => `${each}   `);
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...tokens), { minLength: 1, maxLength: 30 }), (parts) => {
      const text = parts.join(" ");
      expect(counted(text)).toBe(lexed(text));
    }),
  );
});
