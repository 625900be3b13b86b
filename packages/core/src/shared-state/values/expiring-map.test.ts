import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { ExpiringMap } from "./expiring-map.ts";

const entry = fc.record({ life: fc.integer({ min: 1, max: 1000 }), deleted: fc.boolean() });

test("keys are evicted in order of expiry, after any sets and deletes", () => {
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 60, size: "max" }), (entries) => {
      const maxKeys = entries.length;
      const map = new ExpiringMap({ maxKeys, maxCharacters: 1_000_000 });
      for (const [index, { life }] of entries.entries()) map.set(`k${index}`, index, life, 0);
      for (const [index, { deleted }] of entries.entries()) if (deleted) map.delete(`k${index}`, 0);
      const left = [...entries.entries()].filter(([, { deleted }]) => !deleted);
      const order = left.toSorted(([, a], [, b]) => a.life - b.life).map(([index]) => `k${index}`);
      for (let filler = left.length; filler < maxKeys; filler++) map.set(`filler${filler}`, 0, 5000, 0);
      const evicted = order.map((_, round) => {
        const before = order.filter((key) => map.get(key, 0) !== undefined);
        map.set(`new${round}`, 0, 9000, 0);
        return before.find((key) => map.get(key, 0) === undefined);
      });
      expect(evicted).toEqual(order);
      expect(map.size).toBe(maxKeys);
    }),
    { numRuns: 200 },
  );
});

test("a long entry evicts as many keys as necessary, and is stored alone if it exceeds the bound", () => {
  const map = new ExpiringMap({ maxKeys: 10, maxCharacters: 20 });
  for (const key of ["a", "b", "c", "d"]) map.set(key, "1234", 100, 0);
  map.set("e", "123456789", 200, 0);
  expect(["a", "b", "c", "d", "e"].map((key) => map.get(key, 0) !== undefined)).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
  map.set("long", "x".repeat(30), 100, 0);
  expect([map.size, map.get("long", 0)?.value]).toEqual([1, "x".repeat(30)]);
  map.set("f", "1", 200, 0);
  expect([map.size, map.get("f", 0)?.value]).toEqual([1, "1"]);
});

test("set removes a few expired keys", () => {
  const map = new ExpiringMap({ maxKeys: 1000, maxCharacters: 1_000_000 });
  for (let index = 0; index < 100; index++) map.set(`old${index}`, 1, 10, 0);
  map.set("new", 1, 100, 50);
  expect(map.size).toBe(85);
  for (let index = 0; index < 10; index++) map.set("new", 1, 100, 50);
  expect(map.size).toBe(1);
});

test("a pinned key stays in its group, or moves to another group that has room", () => {
  const map = new ExpiringMap({ maxKeys: 10, maxCharacters: 1000 });
  const [live, ended] = [
    { group: "live", maxKeys: 2 },
    { group: "ended", maxKeys: 1 },
  ];
  const pin = (key: string, value: number, group: object, now = 0): boolean =>
    map.pin(key, value, now + 100, now, group as typeof live);
  expect([pin("a", 1, live), pin("b", 1, live), pin("c", 1, live)]).toEqual([true, true, false]);
  expect([pin("a", 2, ended), pin("c", 1, live)]).toEqual([true, false]);
  expect([pin("a", 3, { ...ended, moves: true }), pin("c", 1, live)]).toEqual([true, true]);
  expect([pin("b", 2, { ...ended, moves: true }), pin("d", 1, live)]).toEqual([true, false]);
  expect(["a", "b", "c", "d"].map((key) => map.get(key, 0)?.value)).toEqual([3, 2, 1, undefined]);
  expect([pin("b", 3, { ...ended, moves: true }, 100), pin("d", 1, live, 100)]).toEqual([true, true]);
});
