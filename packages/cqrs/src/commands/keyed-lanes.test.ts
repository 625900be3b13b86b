import { expect, test } from "@jest/globals";
import { KeyedLanes } from "./keyed-lanes.ts";

const { signal } = new AbortController();

test("tasks with the same key run one at a time, and empty lanes are removed", async () => {
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

test("when a waiting task is aborted, the next task still waits for the running task", async () => {
  const lanes = new KeyedLanes(10);
  const gate = Promise.withResolvers<void>();
  const caller = new AbortController();
  const order: string[] = [];
  const first = lanes.run("a", signal, async () => {
    await gate.promise;
    order.push("first");
  });
  const second = lanes.run("a", caller.signal, async () => void order.push("second"));
  const third = lanes.run("a", signal, async () => void order.push("third"));
  caller.abort(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  gate.resolve();
  await Promise.all([first, third]);
  expect([order, lanes.size]).toEqual([["first", "third"], 0]);
});

test("after a failed task the next task runs, and tasks above the limit are refused with 503", async () => {
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
