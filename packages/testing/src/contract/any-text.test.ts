import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyText } from "./any-text.ts";

const texts = anyText(fc, { minLength: 1, maxLength: 40 });

test("texts contain characters from all planes and no lone surrogates", () => {
  const samples = fc.sample(texts, { seed: 7, numRuns: 2000 });
  expect(samples.every((text) => text.isWellFormed())).toBe(true);
  const points = Array.from(samples.join(""), (character) => character.codePointAt(0) ?? 0);
  expect(new Set(points.map((point) => point >> 16)).size).toBe(17);
  for (const end of [0, 0x10ffff]) expect(points).toContain(end);
  expect(points.some((point) => point > 0xd000 && point < 0xd800)).toBe(true);
  expect(points.some((point) => point > 0xdfff && point < 0xe800)).toBe(true);
});

test("a failing text shrinks to the simplest failing text", () => {
  const simplest = (fails: (text: string) => boolean): unknown =>
    fc.check(
      fc.property(texts, (text) => !fails(text)),
      { seed: 7, numRuns: 2000 },
    ).counterexample;
  expect(simplest((text) => Array.from(text).length > 2)).toEqual(["\0\0\0"]);
  expect(simplest((text) => /[^\0-\u{ffff}]/u.test(text))).toEqual(["\u{10000}"]);
});

test("a user's example text is accepted, and a lone surrogate is not", () => {
  expect(texts.canShrinkWithoutContext("a\u{d7ff}\u{e000}\u{10ffff}")).toBe(true);
  expect(texts.canShrinkWithoutContext("a\ud800")).toBe(false);
});
