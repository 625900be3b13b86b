import { expect, test } from "@jest/globals";
import { virtualClock } from "../runtime/virtual-clock.ts";
import { sharedStateContract } from "./contract/shared-state-contract.ts";
import { inProcessState } from "./in-process-state.ts";
import { inProcessTotals } from "./totals/in-process-totals.ts";
import { inProcessValues } from "./values/in-process-values.ts";
import type { Json } from "./values/shared-values.ts";

const quiet = { error: () => {} };

sharedStateContract(test, () => {
  const clock = virtualClock();
  const state = inProcessState({ clock, log: quiet });
  return { views: [state, state], advance: clock.advance };
});

test("calls return synchronously, and synchronous subscribers need no timer", async () => {
  const clock = virtualClock();
  const values = inProcessValues({ clock });
  expect(values.add("a", 1, { ttlMs: 5 })).toEqual({ value: 1, granted: 1, expiresInMs: 5 });
  expect(values.set("b", [1], { ttlMs: 5 })).toBe(true);
  expect(values.get("b")).toEqual([1]);
  expect(values.delete("b")).toBe(true);
  const seen: Json[] = [];
  values.subscribe("c", (message) => void seen.push(message));
  const published = values.publish("c", 1);
  expect([seen, clock.pending]).toEqual([[1], 0]);
  await published;
});

test("the timer of an asynchronous subscriber is cleared when it ends", async () => {
  const clock = virtualClock();
  const values = inProcessValues({ clock });
  values.subscribe("c", () => Promise.resolve());
  const published = values.publish("c", 1);
  expect(clock.pending).toBe(1);
  await published;
  expect(clock.pending).toBe(0);
});

test("a subscriber's error is logged with its channel", async () => {
  const logged: unknown[] = [];
  const values = inProcessValues({ log: { error: (message, fields) => logged.push([message, fields]) } });
  const error = new Error("no");
  values.subscribe("c", () => {
    throw error;
  });
  await values.publish("c", 1);
  expect(logged).toEqual([['a subscriber of "c" failed', { error, channel: "c" }]]);
});

test("the key nearest to its expiry is evicted", async () => {
  const clock = virtualClock();
  const values = inProcessValues({ clock, maxKeys: 3 });
  await values.set("late", 1, { ttlMs: 900 });
  await values.set("soon", 1, { ttlMs: 100 });
  await values.add("middle", 1, { ttlMs: 500 });
  await values.set("new", 1, { ttlMs: 50 });
  expect(["late", "soon", "middle", "new"].map((key) => values.get(key))).toEqual([1, undefined, 1, 1]);
});

test("a full group of raised keys rejects a new key, evicts none, and leaves room for other keys", async () => {
  const clock = virtualClock();
  const values = inProcessValues({ clock, maxKeys: 2 });
  const group = { group: "g", maxKeys: 3 };
  for (const key of ["a", "b", "c"]) await values.raise(key, 1, { ttlMs: 100, ...group });
  expect(() => values.raise("d", 1, { ttlMs: 900, ...group })).toThrow(
    expect.objectContaining({ code: "CORE_SHARED_STATE_FULL" }),
  );
  expect(values.raise("d", 1, { ttlMs: 900, ...group, group: "h" })).toBe(true);
  expect(values.raise("a", 2, { ttlMs: 100, ...group, group: "h" })).toBe(true); // a known key needs no room
  for (let index = 0; index < 50; index++) await values.set(`other${index}`, 1, { ttlMs: 1e6 });
  expect(["a", "b", "c", "d", "other49"].map((key) => values.get(key))).toEqual([2, 1, 1, 1, 1]);
  await clock.advance(100);
  expect(values.raise("e", 1, { ttlMs: 900, ...group })).toBe(true);
});

test("exceeding maxCharacters also evicts keys", async () => {
  const values = inProcessValues({ clock: virtualClock(), maxCharacters: 100 });
  await values.set("a", "x".repeat(38), { ttlMs: 10 }); // 1 character of key, 40 of JSON
  await values.set("b", "x".repeat(38), { ttlMs: 20 });
  expect(values.get("a")).toBe("x".repeat(38));
  await values.set("c", "x".repeat(38), { ttlMs: 30 });
  expect([values.get("a"), values.get("b"), values.get("c")]).toEqual([
    undefined,
    "x".repeat(38),
    "x".repeat(38),
  ]);
  await values.delete("b");
  await values.delete("c");
  await values.set("d", "x".repeat(90), { ttlMs: 10 });
  expect(values.get("d")).toHaveLength(90);
});

test("floating-point sums never exceed max", async () => {
  const values = inProcessValues({ clock: virtualClock() });
  await values.add("f", 0.3, { ttlMs: 1, max: 0.9 });
  expect(0.3 + (0.9 - 0.3)).toBeGreaterThan(0.9); // the rounding error that this test needs
  expect(values.add("f", 5, { ttlMs: 1, max: 0.9 })).toMatchObject({ value: 0.9 });
  expect(values.add("g", 2 ** 53, { ttlMs: 1 })).toMatchObject({ value: Number.MAX_SAFE_INTEGER });
});

test("totals reject a call that exceeds maxSize as a whole, and accept a call that fits", () => {
  const totals = inProcessTotals({ maxSize: 2 * (1 + 8) });
  void totals.add("t", [["a", [1]]]);
  expect(() =>
    totals.add("t", [
      ["a", [1]],
      ["b", [1]],
      ["c", [1]],
    ]),
  ).toThrow("full");
  void totals.add("t", [
    ["b", [1]],
    ["a", [1]],
  ]);
  expect(totals.read("t")).toEqual([
    ["a", [2]],
    ["b", [1]],
  ]);
});

test("a name that is twice in one call counts with the totals that it gets", () => {
  const numbers = Array.from({ length: 256 }, () => 1);
  const totals = inProcessTotals({ maxSize: 100 });
  const twice = [
    ["n", numbers],
    ["n", [1]],
  ] as const;
  expect(() => totals.add("k", twice)).toThrow(expect.objectContaining({ code: "CORE_SHARED_STATE_FULL" }));
  expect(totals.read("k")).toEqual([]);
});
