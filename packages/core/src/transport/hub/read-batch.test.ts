import { AsyncLocalStorage } from "node:async_hooks";
import { beforeEach, expect, test } from "@jest/globals";
import { ReadBatch } from "./read-batch.ts";

/** Waits for the end of a turn of the event loop. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let nowMs: number;
let batch: ReadBatch;
/** What happened, in order. */
let log: string[];

beforeEach(() => {
  nowMs = 0;
  batch = new ReadBatch({ now: () => nowMs });
  log = [];
});

/** Reads that arrive now, as the connections do it: what the batch does not take is handled at once, and a reply is held while it may be. */
const arrive = (count: number, handle: (index: number) => void = () => {}): void => {
  for (let index = 0; index < count; index++) {
    const send = (): void => void log.push(`send ${index}`);
    const deliver = (): void => {
      log.push(`handle ${index}`);
      handle(index);
      if (batch.isOn) batch.hold({ send });
      else send();
    };
    if (!batch.takes({ deliver })) deliver();
  }
};

/** Lets a busy turn pass that the batch observes. */
const becomeBusy = async (): Promise<void> => {
  arrive(64 + 3); // the last of 64 begins the turn that is observed
  await turn();
  expect(batch.isOn).toBe(true);
  log = [];
};

test("each read is handled and answered at once at first", () => {
  arrive(3);
  expect(log).toEqual(["handle 0", "send 0", "handle 1", "send 1", "handle 2", "send 2"]);
});

test("reads stay apart while turns have fewer than four", async () => {
  for (let round = 0; round < 100; round++) {
    arrive(3);
    await turn();
  }
  expect(batch.isOn).toBe(false);
});

test("once a turn had four reads, those of a turn are all handled before the first reply is sent", async () => {
  await becomeBusy();
  arrive(3);
  expect(log).toEqual([]);
  await turn();
  expect(log).toEqual(["handle 0", "handle 1", "handle 2", "send 0", "send 1", "send 2"]);
});

test("a batch has 32 reads at most, and does not wait for the end of its turn when it is full", async () => {
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
  expect(batch.isOn).toBe(true);
  await quiet(1);
  expect(batch.isOn).toBe(false);
  log = [];
  arrive(2);
  expect(log).toEqual(["handle 0", "send 0", "handle 1", "send 1"]);
});

test("replies that were waited for are sent together, in the turn in which they become ready", async () => {
  await becomeBusy();
  const ready = (name: string) => Promise.resolve().then(() => batch.hold({ send: () => log.push(name) }));
  const names = Array.from({ length: 100 }, (_unused, index) => `send ${index}`);
  await Promise.all(names.map(ready));
  expect(log).toEqual([]);
  await turn();
  expect(log).toEqual(names);
});

/** Sizes of the batches in which 64 reads of a turn are handled. */
const sizes = async (handle: () => void): Promise<number[]> => {
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

test("slow handlers make batches smaller, so that few replies wait for them, and fast ones larger again", async () => {
  await becomeBusy();
  expect(await sizes(() => {})).toEqual([32, 32]);
  const slow = () => void (nowMs += 3);
  expect(await sizes(slow)).toEqual([32, 16, 8, 4, 2, 2]);
  expect(await sizes(slow)).toEqual(Array.from({ length: 32 }, () => 2)); // 6 ms are within the bound
  for (let round = 0; round < 30; round++) await sizes(() => {});
  expect(await sizes(() => {})).toEqual([32, 32]);
});

test("what a handler enters in an AsyncLocalStorage does not reach the next one", async () => {
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

test("an error that a read throws leaves the others to be handled and answered", async () => {
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

test("an error that a reply throws leaves the others to be sent", async () => {
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
    for (const read of [...replies, ...fill]) batch.takes(read);
  } catch (thrown) {
    uncaught.push(thrown);
  }
  await turn();
  expect(uncaught).toEqual([error]);
  expect(log).toEqual(["send 0", "send 2"]);
});
