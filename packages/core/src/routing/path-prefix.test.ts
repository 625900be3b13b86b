import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { canonicalise } from "./canonical-path.ts";
import { canonicalPrefix, coversPath, prefixProblem } from "./path-prefix.ts";

test.each([
  ["/gr%C3%B6%C3%9Fe", "is matched decoded: write the character itself instead of %C3"],
  ["//x", "has an empty segment; write one slash"],
  ["/a//b", "has an empty segment"],
  ["/../y", 'has the segment "..", which no request may have'],
  ["/a/.", 'has the segment "."'],
  ["/%2e%2e/y", "is matched decoded"],
  ["/x/", "ends in a slash, so it would cover only itself; remove it"],
  ["x", "must start with /"],
  ["", "must start with /"],
  ["/a?b", "must not contain ? or #"],
  ["/a#b", "must not contain ? or #"],
  ["/users/{id}", "has parameters or wildcards; a path covers everything below it"],
  ["/admin/*", "has parameters or wildcards"],
  ["/users/:id", 'has the segment ":id"'],
  ["/a\nb", "contains characters that no request may have"],
  ["/\ud800", "contains characters that no request may have"],
  [7, "is not a path"],
  [undefined, "is not a path"],
  [10n, "is not a path"],
])("%p matches no request, so it is a mistake", (path, problem) => {
  expect(prefixProblem(path)).toContain(problem);
  expect(prefixProblem(path)).toMatch(/^(?:"|7|undefined|10n)/);
});

test("a path covers itself and everything below it, however a request spells it", () => {
  const covers = coversPath(["/größe und mehr", "/100%", "/a.b", "/c"]);
  const isCovered = (target: string) => covers(canonicalise(target).path);
  expect(["/gr%C3%B6%C3%9Fe%20und%20mehr/x", "/100%25", "/a.b/c", "/%63/d"].map(isCovered)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(["/gr%C3%B6%C3%9Fe", "/100", "/1000", "/aXb", "/cd", "/"].map(isCovered)).toEqual(
    Array(6).fill(false),
  );
  expect(coversPath(["/"])("/")).toBe(true);
  expect(coversPath(["/"])("/x")).toBe(false);
});

test("every accepted path equals the canonical path of its request", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 12 });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), (segments) => {
      const path = `/${segments.join("/")}`;
      fc.pre(prefixProblem(path) === null);
      const target = path.split("/").map(encodeURIComponent).join("/");
      expect(canonicalPrefix(path)).toBe(canonicalise(target).path);
    }),
  );
});
