import { isDeepStrictEqual } from "node:util";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyCharacter } from "../http/testing/any-character.ts";
import { JsonReader, MAX_SHAPED_BODY } from "./json-reader.ts";

const sourceOf = (text: string) => {
  const buffered = new TextEncoder().encode(text);
  return { buffered, bodyLength: buffered.byteLength };
};

/** Reads a text with a reader that has learned the shape of another; `undefined` if it must be parsed. */
const readAfter = (first: string, text: string): unknown => {
  const reader = new JsonReader();
  reader.learn(JSON.parse(first));
  return reader.read(sourceOf(text), MAX_SHAPED_BODY);
};

const parseOrUndefined = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const key = fc.oneof(
  fc.constantFrom(
    "id",
    "name",
    "items",
    "a",
    "__proto__",
    "constructor",
    "toString",
    "0",
    "12",
    "",
    "ä",
    'a"',
  ),
  fc.string({ maxLength: 8 }),
);
const leaf = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.string({ maxLength: 30 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(true, false, null, 0, -0, 0.1, 12.5, 1e21, 123456789012345, 2 ** 53),
);
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

/** Returns the same structure with other leaves. */
const replaceLeaves = (value: unknown, leaves: () => unknown): unknown => {
  if (Array.isArray(value)) return value.map((inner) => replaceLeaves(inner, leaves));
  if (typeof value !== "object" || value === null) return leaves();
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, replaceLeaves(inner, leaves)]),
  );
};

/** Unlike Jest, distinguishes 0 from -0, and compares the order of keys and an own `constructor`. */
const isSame = (actual: unknown, expected: unknown): boolean =>
  isDeepStrictEqual(actual, expected) && JSON.stringify(actual) === JSON.stringify(expected);

test("returns the result of JSON.parse or undefined: bodies of one structure", () => {
  let read = 0;
  fc.assert(
    fc.property(anyValue, fc.infiniteStream(leaf), (first, leaves) => {
      const text = JSON.stringify(replaceLeaves(first, () => leaves.next().value));
      const value = readAfter(JSON.stringify(first), text);
      if (value === undefined) return;
      read++;
      expect(isSame(value, JSON.parse(text))).toBe(true);
    }),
    { numRuns: 3000 },
  );
  expect(read).toBeGreaterThan(100);
});

test("returns the result of JSON.parse or undefined: broken and changed texts", () => {
  const first =
    '{"id":7,"name":"a name of a book","tags":["a","b"],"sizes":[{"w":1.5,"h":-2}],"on":true,"no":null}';
  const edit = fc.tuple(
    fc.nat({ max: first.length }),
    fc.nat({ max: 3 }),
    fc.string({
      unit: fc.constantFrom(...'{}[]:,"\\ \n\t-+.eE0123true\u0000\u001f\u007fä'.split("")),
      maxLength: 4,
    }),
  );
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
      let text = first;
      for (const [at, removed, added] of edits) text = text.slice(0, at) + added + text.slice(at + removed);
      const value = readAfter(first, text);
      expect(value === undefined || isSame(value, parseOrUndefined(text))).toBe(true);
    }),
    { numRuns: 5000 },
  );
});

test.each([
  ['{"a":1,"b":"x"}', '{"a":2,"b":"another text of some length"}'],
  ['{"a":1,"b":"x"}', '{"a": -12.25, "b": ""}'],
  ['{"a":1}', '{"a":true}'],
  ['{"a":1}', '{"a":false}'],
  ['{"a":1}', '{"a":null}'],
  ['{"a":1}', '{"a":-0}'],
  ['{"a":[]}', '{"a":[1,"b", null]}'],
  ['{"a":{}}', '{"a":{}}'],
  ['[{"a":1}]', '[{"a":5},{"a":6}]'],
])("after %s it reads %s", (first, text) => {
  expect(isSame(readAfter(first, text), JSON.parse(text))).toBe(true);
});

test.each([
  ['{"a":1}', '{"a":01}'],
  ['{"a":1}', '{"a":1.}'],
  ['{"a":1}', '{"a":.5}'],
  ['{"a":1}', '{"a":-}'],
  ['{"a":1}', '{"a":1e400}'],
  ['{"a":1}', '{"a":1234567890123456}'],
  ['{"a":1}', '{"a":"\\u0041"}'],
  ['{"a":1}', '{"a":"ä"}'],
  ['{"a":1}', '{"a":"\u0001"}'],
  ['{"a":1}', '{"a":"x'],
  ['{"a":1}', '{"a":1'],
  ['{"a":1}', '{"a":1}}'],
  ['{"a":1}', '{"a":1,"a":2}'],
  ['{"a":1}', '{"b":1}'],
  ['{"a":1}', '{"a":{}}'],
  ['{"a":1,"b":2}', '{"a":1}'],
  ['{"a":[1]}', '{"a":[1,]}'],
  ['{"__proto__":1}', '{"__proto__":1}'],
  ['{"1":1}', '{"1":1}'],
])("after %s it does not read %s", (first, text) => {
  expect(readAfter(first, text)).toBeUndefined();
});

test("the rest of a longer body is not read after the end of a shorter one", () => {
  const reader = new JsonReader();
  reader.learn({ a: 1, b: "x" });
  for (const text of ['{"a":1,"b":"yyyyyyyy"}', '{"a":1,"b":"yy', '{"a":1', '{"a":1,"b"', '{"a":'])
    expect(reader.read(sourceOf(text), MAX_SHAPED_BODY)).toEqual(parseOrUndefined(text));
});

test("a reader pauses for 250 bodies when keys keep changing, and then learns again", () => {
  const reader = new JsonReader();
  const read = (text: string): boolean => {
    const value = reader.read(sourceOf(text), MAX_SHAPED_BODY);
    if (value === undefined) reader.learn(JSON.parse(text));
    return value !== undefined;
  };
  for (let index = 0; index < 5; index++) expect(read(`{"a${index}":1}`)).toBe(false); // the fifth starts the pause
  let unread = 0;
  while (unread < 1000 && !read('{"a":1}')) unread++;
  expect(unread).toBe(251); // the reader learns from the last one
});

test("a reader learns shapes of up to 64 keys and eight levels, and no larger ones", () => {
  const keys = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1])));
  const levels = (count: number) => `${'{"a":'.repeat(count)}1${"}".repeat(count)}`;
  for (const text of [keys(64), levels(8)]) expect(readAfter(text, text)).toEqual(JSON.parse(text));
  for (const text of [keys(65), levels(9)]) expect(readAfter(text, text)).toBeUndefined();
});
