import { expect, jest, test } from "@jest/globals";
import { expirySweep } from "./index.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("expired rows are removed after every `everyWrites` writes, but not during a removal", async () => {
  const running: (() => void)[] = [];
  const remove = () => new Promise<void>((resolve) => void running.push(resolve));
  const countWrite = expirySweep({ everyWrites: 3, remove, subject: "rows" });
  const write = (times: number) => {
    for (let n = 0; n < times; n++) countWrite();
    return running.length;
  };
  expect([write(2), write(1), write(6)]).toEqual([0, 1, 1]);
  running[0]?.();
  await turn();
  expect(write(3)).toBe(2);
});

test.each<[string, undefined | (() => void), string]>([
  ["is a warning without `onError`", undefined, "full"],
  [
    "is passed to `onError`, whose own error is a warning",
    () => {
      throw new Error("theirs");
    },
    "theirs",
  ],
  [
    "is passed to an async `onError`, whose own error is a warning",
    () => Promise.reject(Object.create(null)),
    "{}",
  ],
])("the error of a removal %s, and later removals run", async (_name, onError, detail) => {
  const emitWarning = jest.spyOn(process, "emitWarning").mockImplementation(() => {});
  let removals = 0;
  const remove = () => {
    removals++;
    throw new Error("full");
  };
  const countWrite = expirySweep({ everyWrites: 1, remove, subject: "rows", onError });
  for (let n = 0; n < 2; n++) {
    countWrite();
    await turn();
  }
  expect(removals).toBe(2);
  expect(emitWarning.mock.calls).toEqual(Array(2).fill(["rows were not removed", { detail }]));
  emitWarning.mockRestore();
});
