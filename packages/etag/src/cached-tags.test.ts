import { expect, test } from "@jest/globals";
import { entityTag } from "./entity-tag.ts";
import { cachedTags } from "./cached-tags.ts";

/** 400 texts of many lengths, more than the cache holds; some have lone surrogates. */
const texts = Array.from({ length: 400 }, (_, id) =>
  id % 20 === 0
    ? "\ud83d\ude00".slice(0, 1 + (id % 3)).repeat(1 + id)
    : JSON.stringify({ id, name: "x".repeat(id % 50) }),
);

test.each([true, false])(
  "a cached tag equals the computed one, even for texts too long to cache (weak: %p)",
  (weak) => {
    const tagOf = cachedTags(weak);
    for (let round = 0; round < 4; round++)
      for (const body of ["", ...texts, "y".repeat(1024 + round)])
        for (let time = 0; time <= round; time++) expect(tagOf(body)).toBe(entityTag(body, weak));
  },
);

test("texts that differ in one character, at any position, have different tags", () => {
  const tagOf = cachedTags(true);
  const one = "a".repeat(99);
  for (let at = 0; at < one.length; at++) {
    const other = `${one.slice(0, at)}b${one.slice(at + 1)}`;
    for (const body of [one, one, one, other, one, other, other, other, one])
      expect(tagOf(body)).toBe(entityTag(body, true));
  }
});

test("bytes have the same tag as their text", () => {
  const tagOf = cachedTags(true);
  for (let time = 0; time < 3; time++) expect(tagOf(new TextEncoder().encode("grüße"))).toBe(tagOf("grüße"));
});
