import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyCharacter, anyText } from "./any-character.ts";

test("generates single characters and no surrogates, and can shrink from any character", () => {
  const values = fc.sample(anyCharacter, { numRuns: 2000, seed: 1 });
  expect(values.filter((value) => !value.isWellFormed() || Array.from(value).length !== 1)).toEqual([]);
  for (const value of ["\0", "a", "\ud7ff", "\ue000", "\u{10000}", "\u{10ffff}"])
    expect([value, anyCharacter.canShrinkWithoutContext(value)]).toEqual([value, true]);
  for (const value of ["", "ab", "\ud800", "\udfff", 1 as unknown as string])
    expect([value, anyCharacter.canShrinkWithoutContext(value)]).toEqual([value, false]);
});

test("generates names of Object.prototype among the texts", () => {
  expect(fc.sample(anyText, { numRuns: 2000, seed: 2 })).toContain("toString");
});
