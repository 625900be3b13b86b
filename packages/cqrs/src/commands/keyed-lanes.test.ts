import { expect, test } from "@jest/globals";
import { KeyedLanes } from "./keyed-lanes.ts";

const { signal } = new AbortController();

test("work of one key waits for its turn, and lanes without work are forgotten", async () => {
  const lanes = new KeyedLanes(10);
  const gate = Promise.withResolvers<void>();
  const order: number[] = [];
  const enter = (number: number, wait?: Promise<void>) => async () => {
    order.push(number);
    await wait;
  };
  const all = [
    lanes.run("a", signal, enter(1, gate.promise)),
    lanes.run("a", signal, enter(2)),
    lanes.run("b", signal, enter(3)),
  ];
  await all[2];
  expect([order, lanes.size]).toEqual([[1, 3], 1]);
  gate.resolve();
  await Promise.all(all);
  expect([order, lanes.size]).toEqual([[1, 3, 2], 0]);
});

test("who gives up does not let the next one pass the work that runs", async () => {
  const lanes = new KeyedLanes(10);
  const gate = Promise.withResolvers<void>();
  const leaving = new AbortController();
  const order: string[] = [];
  const first = lanes.run("a", signal, async () => {
    await gate.promise;
    order.push("first");
  });
  const second = lanes.run("a", leaving.signal, async () => void order.push("second"));
  const third = lanes.run("a", signal, async () => void order.push("third"));
  leaving.abort(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  gate.resolve();
  await Promise.all([first, third]);
  expect([order, lanes.size]).toEqual([["first", "third"], 0]);
});

test("work that fails gives its turn on, and too many are refused with 503", async () => {
  const lanes = new KeyedLanes(2);
  const gate = Promise.withResolvers<void>();
  const first = lanes.run("a", signal, async () => {
    await gate.promise;
    throw new Error("failed");
  });
  const second = lanes.run("a", signal, async () => "second");
  const third = lanes.run("a", signal, async () => "third");
  await expect(third).rejects.toMatchObject({ status: 503, code: "CQRS_BUSY" });
  expect(await lanes.run("b", signal, async () => "other")).toBe("other");
  gate.resolve();
  await expect(first).rejects.toThrow("failed");
  expect(await second).toBe("second");
});
