import { AsyncLocalStorage } from "node:async_hooks";
import { beforeEach, expect, test } from "@jest/globals";
import { ReadBatch } from "./read-batch.ts";

/** Waits for the end of a turn of the event loop. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let nowMs: number;
let batch: ReadBatch;
/** Log of events. */
let log: string[];

beforeEach(() => {
  nowMs = 0;
  batch = new ReadBatch({ now: () => nowMs });
  log = [];
});

/** Simulates reads of connections: a read that does not join the batch is handled at once, and replies are held while batching is enabled. */
const arrive = (count: number, handle: (index: number) => void = () => {}): void => {
  for (let index = 0; index < count; index++) {
    const send = (): void => void log.push(`send ${index}`);
    const deliver = (): void => {
      log.push(`handle ${index}`);
      handle(index);
      if (batch.isEnabled) batch.hold({ send });
      else send();
    };
    if (!batch.add({ deliver })) deliver();
  }
};

/** Runs a busy turn that the batch observes. */
const becomeBusy = async (): Promise<void> => {
  arrive(64 + 3); // the last of 64 begins the observed turn
  await turn();
  expect(batch.isEnabled).toBe(true);
  log = [];
};

test("initially, each read is handled and its reply sent at once", () => {
  arrive(3);
  expect(log).toEqual(["handle 0", "send 0", "handle 1", "send 1", "handle 2", "send 2"]);
});

test("reads are not batched while turns have fewer than four", async () => {
  for (let round = 0; round < 100; round++) {
    arrive(3);
    await turn();
  }
  expect(batch.isEnabled).toBe(false);
});

test("after a turn with four reads, all reads of a turn are handled before the first reply is sent", async () => {
  await becomeBusy();
  arrive(3);
  expect(log).toEqual([]);
  await turn();
  expect(log).toEqual(["handle 0", "handle 1", "handle 2", "send 0", "send 1", "send 2"]);
});

test("a batch has at most 32 reads, and a full batch does not wait for the end of its turn", async () => {
  await becomeBusy();
  arrive(40);
  expect(log).toHaveLength(64);
  expect(log.slice(31, 33)).toEqual(["handle 31", "send 0"]);
  await turn();
  expect(log).toHaveLength(80);
});

test("after 16 quiet turns in a row each read is handled at once again", async () => {
  await becomeBusy();
  const quiet = async (turns: number): Promise<void> => {
    for (let passed = 0; passed < turns; passed++) {
      arrive(2);
      await turn();
    }
  };
  await quiet(15);
  arrive(3);
  await turn();
  await quiet(15);
  expect(batch.isEnabled).toBe(true);
  await quiet(1);
  expect(batch.isEnabled).toBe(false);
  log = [];
  arrive(2);
  expect(log).toEqual(["handle 0", "send 0", "handle 1", "send 1"]);
});

test("awaited replies are sent together, in the turn in which they become ready", async () => {
  await becomeBusy();
  const ready = (name: string) => Promise.resolve().then(() => batch.hold({ send: () => log.push(name) }));
  const names = Array.from({ length: 100 }, (_unused, index) => `send ${index}`);
  await Promise.all(names.map(ready));
  expect(log).toEqual([]);
  await turn();
  expect(log).toEqual(names);
});

/** Sizes of the batches in which 64 reads of a turn are handled. */
const batchSizes = async (handle: () => void): Promise<number[]> => {
  log = [];
  arrive(64, handle);
  await turn();
  const found: number[] = [];
  for (const [index, line] of log.entries()) {
    if (!line.startsWith("handle")) continue;
    if (index === 0 || log[index - 1]?.startsWith("send") === true) found.push(0);
    found.push((found.pop() ?? 0) + 1);
  }
  return found;
};

test("slow handlers make batches smaller, and fast handlers make them larger again", async () => {
  await becomeBusy();
  expect(await batchSizes(() => {})).toEqual([32, 32]);
  const slow = () => void (nowMs += 3);
  expect(await batchSizes(slow)).toEqual([32, 16, 8, 4, 2, 2]);
  expect(await batchSizes(slow)).toEqual(Array.from({ length: 32 }, () => 2)); // 6 ms are within the bound
  for (let round = 0; round < 30; round++) await batchSizes(() => {});
  expect(await batchSizes(() => {})).toEqual([32, 32]);
});

test("a value that a handler sets with AsyncLocalStorage.enterWith does not reach the next handler", async () => {
  const user = new AsyncLocalStorage<string>();
  await becomeBusy();
  const seen: (string | undefined)[] = [];
  arrive(3, (index) => {
    seen.push(user.getStore());
    user.enterWith(`user ${index}`);
  });
  await turn();
  expect(seen).toEqual([undefined, undefined, undefined]);
  expect(user.getStore()).toBeUndefined();
});

test("after the handling of a read has thrown, the others are handled and their replies sent", async () => {
  await becomeBusy();
  const error = new Error("a defect");
  const fail = (index: number): void => {
    if (index === 1) throw error;
  };
  expect(() => arrive(32, fail)).toThrow(error);
  await turn();
  expect(log.filter((line) => line.startsWith("handle"))).toHaveLength(32);
  expect(log.filter((line) => line.startsWith("send"))).toHaveLength(31);
});

test("after sending a reply has thrown, the others are sent", async () => {
  await becomeBusy();
  const error = new Error("a defect");
  const uncaught: unknown[] = [];
  const replies = Array.from({ length: 3 }, (_unused, index) => ({
    deliver: () =>
      batch.hold({
        send: () => {
          if (index === 1) throw error;
          log.push(`send ${index}`);
        },
      }),
  }));
  const fill = Array.from({ length: 29 }, () => ({ deliver: () => {} }));
  try {
    for (const read of [...replies, ...fill]) batch.add(read);
  } catch (thrown) {
    uncaught.push(thrown);
  }
  await turn();
  expect(uncaught).toEqual([error]);
  expect(log).toEqual(["send 0", "send 2"]);
});
