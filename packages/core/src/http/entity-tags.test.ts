import { expect, test } from "@jest/globals";
import { isEntityTag, matchesStrongly, matchesWeakly, parseTagList, weakened } from "./entity-tags.ts";

test.each([
  ["*", "*"],
  [" * ", "*"],
  ['"a"', ['"a"']],
  ['W/"a"', ['W/"a"']],
  ['"a", W/"b" ,"c"', ['"a"', 'W/"b"', '"c"']],
  ['"a,b", "c"', ['"a,b"', '"c"']],
  ['""', ['""']],
  [', ,"a",,', ['"a"']],
  ['"\x80\xff"', ['"\x80\xff"']],
  ["", null],
  [",", null],
  ["a", null],
  ['w/"a"', null],
  ['"a" "b"', null],
  ['"a', null],
  ['"a"b', null],
  ['"a b"', null],
  ['W/ "a"', null],
  ['*, "a"', null],
])("the list %j is %j", (field, tags) => {
  expect(parseTagList(field)).toEqual(tags);
});

test("reads at most 100 tags of a list, in time that grows with its length", () => {
  const field = Array.from({ length: 1000 }, (_, index) => `"${index}"`).join(",");
  expect(parseTagList(field)).toHaveLength(100);
  expect(parseTagList(`${" ".repeat(50_000)}x`)).toBeNull();
});

test.each([
  ['"1"', '"1"', true, true],
  ['"1"', '"2"', false, false],
  ['W/"1"', '"1"', true, false],
  ['W/"1"', 'W/"1"', true, false],
  ['W/"1"', 'W/"2"', false, false],
])("%s and %s match weakly: %p, strongly: %p", (one, other, weakly, strongly) => {
  expect([matchesWeakly(one, other), matchesStrongly(one, other)]).toEqual([weakly, strongly]);
});

test("a tag is weakened once", () => {
  expect([weakened('"a"'), weakened('W/"a"')]).toEqual(['W/"a"', 'W/"a"']);
});

test("only a whole tag is one", () => {
  expect(['"a"', 'W/"a"', "a", '"a" ', '"a","b"'].map(isEntityTag)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
