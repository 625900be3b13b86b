import { expect, test } from "@jest/globals";
import {
  codedTag,
  isEntityTag,
  matchesStrongly,
  matchesWeakly,
  parseTagList,
  plainTag,
  toWeakTag,
} from "./entity-tags.ts";

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
])("parses the list %j as %j", (field, tags) => {
  expect(parseTagList(field)).toEqual(tags);
});

test("reads at most 100 tags of a list", () => {
  const field = Array.from({ length: 1000 }, (_, index) => `"${index}"`).join(",");
  expect(parseTagList(field)).toHaveLength(100);
});

test.each([" ", '"', 'W/"a" ', "W/"])("reads a long run of %p in linear time", (unit) => {
  const before = process.cpuUsage();
  expect(parseTagList(`${unit.repeat(Math.ceil(200_000 / unit.length))}x`)).toBeNull();
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000); // quadratic time takes a minute
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

test("toWeakTag makes a strong tag weak and returns a weak tag unchanged", () => {
  expect([toWeakTag('"a"'), toWeakTag('W/"a"')]).toEqual(['W/"a"', 'W/"a"']);
});

test("isEntityTag accepts exactly one complete tag", () => {
  expect(['"a"', 'W/"a"', "a", '"a" ', '"a","b"'].map(isEntityTag)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("codedTag adds the coding to a strong tag and keeps a weak tag; plainTag removes a known coding", () => {
  expect([codedTag('"a"', "gzip"), codedTag('"a-br"', "br"), codedTag('W/"a"', "zstd")]).toEqual([
    '"a--gzip"',
    '"a-br--br"',
    'W/"a"',
  ]);
  expect(['"a--gzip"', 'W/"a--br"', '"a--zstd"', '"a-gzip"', '"a--2"'].map(plainTag)).toEqual([
    '"a"',
    'W/"a"',
    '"a"',
    '"a-gzip"',
    '"a--2"',
  ]);
});
