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

test("a __proto__ member of parsed JSON stays a member, cycles are kept, and instances of other classes are not copied", () => {
  class Price {}
  const price = new Price();
  const data = JSON.parse('{"__proto__":{"admin":true}}') as Record<string, unknown>;
  Object.assign(data, { price, self: data });
  const copy = copyOf(data) as Record<string, unknown>;
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  expect(Object.getOwnPropertyDescriptor(copy, "__proto__")?.value).toEqual({ admin: true });
  expect([copy["self"] === copy, copy["price"] === price]).toEqual([true, true]);
});

test("a copy of a Buffer is a Buffer, and instances of subclasses of built-in classes are not copied", () => {
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

test("shared references stay shared, in time linear in the number of objects", () => {
  const node = { v: [1] };
  let shared: object = node;
  for (let level = 0; level < 1000; level++) shared = { a: shared, b: [shared] };
  const data = { node, list: [node], map: new Map([[node, node]]), set: new Set([node]), shared };
  const copy = copyOf(data) as typeof data;
  expect(copy.node).not.toBe(node);
  expect([copy.list[0], [...copy.set][0], ...[...copy.map].flat()]).toEqual(
    Array.from({ length: 4 }, () => node),
  );
  expect(new Set([copy.node, ...copy.list, ...copy.set, ...copy.map.keys(), ...copy.map.values()]).size).toBe(
    1,
  );
});

test("data can be nested more deeply than the stack allows", () => {
  interface Level {
    readonly next?: Level;
  }
  let data: Level = {};
  for (let level = 0; level < 100_000; level++) data = { next: data };
  let depth = 0;
  for (let at: Level | undefined = copyOf(data) as Level; at.next !== undefined; at = at.next) depth++;
  expect(depth).toBe(100_000);
});

test("views are copied with their buffer, and views of one buffer share its copy", () => {
  const numbers = Float64Array.of(1, 2, 3);
  const data = {
    numbers,
    part: numbers.subarray(1),
    view: new DataView(numbers.buffer, 8, 8),
    buffer: numbers.buffer,
    bytes: Uint8Array.of(1, 2).buffer,
    wide: BigInt64Array.of(1n),
    shared: new Uint8Array(new SharedArrayBuffer(1)),
  };
  const copy = copyOf(data) as typeof data;
  expect(copy).toEqual(data);
  expect(copy.numbers.constructor).toBe(Float64Array);
  expect(copy.shared).toBe(data.shared);
  numbers.fill(0);
  new Uint8Array(data.bytes).fill(0);
  data.wide.fill(0n);
  expect([...copy.numbers, ...new Uint8Array(copy.bytes), copy.wide[0]]).toEqual([1, 2, 3, 1, 2, 1n]);
  copy.numbers[1] = 5;
  expect([copy.part[0], copy.view.getFloat64(0, true), new Float64Array(copy.buffer)[1]]).toEqual([5, 5, 5]);
});

test("an array keeps its non-index members and its holes", () => {
  const match = /(?<year>[0-9]+)/.exec("in 1984");
  const holes = Object.assign([{ a: 1 }], { named: "b" });
  holes.length = 2;
  const copy = copyOf({ match, holes }) as { match: RegExpExecArray; holes: typeof holes };
  expect([copy.match.groups?.["year"], copy.match.index, copy.match.groups === match?.groups]).toEqual([
    "1984",
    3,
    false,
  ]);
  expect([copy.holes.length, 1 in copy.holes, copy.holes.named]).toEqual([2, false, "b"]);
});

test("members of an array named __proto__, or like the first number that is no index, are copied as members", () => {
  const list = Object.assign([], { named: { a: 1 }, 4294967295: { b: 2 } });
  Object.defineProperty(list, "__proto__", { value: { c: 3 }, enumerable: true });
  const copy = copyOf({ list }) as { list: typeof list };
  expect(Array.isArray(copy.list)).toBe(true);
  expect(Object.getPrototypeOf(copy.list)).toBe(Array.prototype);
  expect(Object.entries(copy.list)).toEqual(Object.entries(list));
  expect(copy.list.named).not.toBe(list.named);
  expect(copy.list["4294967295"]).not.toBe(list["4294967295"]);
});

test("a detached buffer is not copied", () => {
  const bytes = Uint8Array.of(1);
  bytes.buffer.transfer();
  expect((copyOf({ bytes }) as { bytes: Uint8Array }).bytes).toBe(bytes);
});
