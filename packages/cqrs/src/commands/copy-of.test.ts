import { expect, test } from "@jest/globals";
import { copyOf } from "./copy-of.ts";

test("a copy of plain data shares no object with it", () => {
  const data = {
    list: [{ a: 1 }],
    day: new Date(1),
    map: new Map([["a", [1]]]),
    set: new Set([{ a: 1 }]),
    bytes: Uint8Array.of(1),
    bare: Object.assign(Object.create(null) as object, { a: [1] }),
  };
  const copy = copyOf(data) as typeof data;
  expect(copy).toEqual(data);
  expect(Object.getPrototypeOf(copy.bare)).toBeNull();
  data.list.pop();
  data.day.setTime(2);
  data.map.get("a")?.pop();
  data.set.clear();
  data.bytes.fill(0);
  expect([copy.list, copy.day.getTime(), copy.map.get("a"), copy.set.size, copy.bytes[0]]).toEqual([
    [{ a: 1 }],
    1,
    [1],
    1,
    1,
  ]);
});

test("a member __proto__ of JSON stays a member, cycles stay cycles, and objects of other classes are the same", () => {
  class Price {}
  const price = new Price();
  const data = JSON.parse('{"__proto__":{"admin":true}}') as Record<string, unknown>;
  Object.assign(data, { price, self: data });
  const copy = copyOf(data) as Record<string, unknown>;
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  expect(Object.getOwnPropertyDescriptor(copy, "__proto__")?.value).toEqual({ admin: true });
  expect([copy["self"] === copy, copy["price"] === price]).toEqual([true, true]);
});

test("a copy of a Buffer is a Buffer, and objects of classes that extend built-in ones are the same", () => {
  class Tags extends Set<string> {}
  class Day extends Date {}
  class Prices extends Map<string, number> {}
  const extended = [new Tags(["a"]), new Day(1), new Prices([["a", 1]])];
  const data = { text: Buffer.from("abc"), extended };
  const copy = copyOf(data) as typeof data;
  data.text.fill(0);
  expect([Buffer.isBuffer(copy.text), copy.text.toString()]).toEqual([true, "abc"]);
  expect(copy.extended.map((each, at) => each === extended[at])).toEqual([true, true, true]);
});
