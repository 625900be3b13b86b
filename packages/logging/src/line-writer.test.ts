import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { LineWriter } from "./line-writer.ts";
import type { Outlet } from "./outlet.ts";

/** A destination with limited room, in bytes. */
const reader = (room = Number.POSITIVE_INFINITY) => {
  const written: Buffer[] = [];
  const waiting: (() => void)[] = [];
  const state = { room };
  const outlet: Outlet = {
    write(lines) {
      const count = Math.min(lines.length, state.room);
      state.room -= count;
      if (count > 0) written.push(lines.subarray(0, count));
      return count;
    },
    onReady: (listener) => void waiting.push(listener),
  };
  /** Adds room, as after a read. */
  const read = (bytes: number) => {
    state.room += bytes;
    for (const listener of waiting.splice(0)) listener();
  };
  const writes = () => written.map(String);
  return { outlet, writes, read, text: () => Buffer.concat(written).toString() };
};

const lossLine = (lost: number) => `lost ${lost}\n`;
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("the lines of one turn are written together at its end", async () => {
  const { outlet, writes } = reader();
  const writer = new LineWriter({ outlet, maxQueueBytes: 1000, lossLine });
  for (const line of ["a\n", "b\n", "c\n"]) writer.add(line);
  expect(writes()).toEqual([]);
  await turn();
  writer.add("d\n");
  await turn();
  expect(writes()).toEqual(["a\nb\nc\n", "d\n"]);
});

test("a full batch is written before the turn ends", () => {
  const { outlet, writes } = reader();
  const writer = new LineWriter({ outlet, maxQueueBytes: 1000, lossLine });
  for (let count = 0; count < 700; count++) writer.add(`${"x".repeat(99)}\n`);
  expect(writes().map(({ length }) => length)).toEqual([65_600]);
});

test("lines wait for a slow reader, and lines that do not fit are dropped, counted and reported", async () => {
  const { outlet, read, text } = reader(10);
  const writer = new LineWriter({ outlet, maxQueueBytes: 100, lossLine });
  for (let count = 100; count < 200; count++) {
    writer.add(`line ${count}\n`);
    await turn();
  }
  expect(writer.dropped).toBe(88); // one was written, one partly, eleven are queued
  for (let count = 0; count < 30; count++) read(10);
  const lines = text().split("\n").slice(0, -1);
  expect(lines).toEqual([...Array.from({ length: 12 }, (_, at) => `line ${100 + at}`), "lost 88"]);
  writer.add("after\n");
  await turn();
  expect(text()).toMatch(/lost 88\nafter\n$/);
});

test("every line is written whole and in order, or counted as dropped, for any reader", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(40), fc.nat(60), fc.boolean()), { maxLength: 60 }),
      async (steps) => {
        const { outlet, read, text } = reader(0);
        const writer = new LineWriter({ outlet, maxQueueBytes: 200, lossLine: () => "" });
        for (const [at, [length, room, rest]] of steps.entries()) {
          writer.add(`${at}:${"é".repeat(length)}\n`);
          if (rest) await turn();
          read(room);
        }
        await turn();
        for (let count = 0; count < 100; count++) read(1000);
        const lines = text().split("\n").slice(0, -1);
        const numbers = lines.map((line) => Number(line.split(":")[0]));
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
        for (const line of lines) {
          const [number = "", rest = ""] = line.split(":");
          expect(rest).toBe("é".repeat(steps[Number(number)]?.[0] ?? -1));
        }
        expect(lines.length + writer.dropped).toBe(steps.length);
      },
    ),
    { numRuns: 100 },
  );
});

test("flush waits for the reader, up to its time limit", async () => {
  const { outlet, read, text } = reader(0);
  const writer = new LineWriter({ outlet, maxQueueBytes: 1000, lossLine });
  writer.add("a\n");
  let done = false;
  void writer.flush(60_000).then(() => (done = true));
  await turn();
  expect(done).toBe(false);
  read(100);
  await waitFor(() => done);
  expect(text()).toBe("a\n");
  read(-98);
  writer.add("b\n");
  await writer.flush(5);
});

test("flushSync writes the batch and the queue before it returns, and gives up on a full destination", () => {
  const { outlet, text } = reader(4);
  const slow: Outlet = { ...outlet, write: (lines) => outlet.write(lines.subarray(0, 3)) };
  const writer = new LineWriter({ outlet: slow, maxQueueBytes: 1000, lossLine });
  for (const line of ["a\n", "b\n"]) writer.add(line);
  writer.flushSync();
  expect(text()).toBe("a\nb\n");
  writer.add("c\n");
  writer.flushSync();
  expect(text()).toBe("a\nb\n");
});

test("a lost destination drops lines and does not throw", async () => {
  const outlet: Outlet = {
    write() {
      throw Object.assign(new Error("broken pipe"), { code: "EPIPE" });
    },
    onReady() {},
  };
  const writer = new LineWriter({ outlet, maxQueueBytes: 1000, lossLine });
  for (const line of ["a\n", "b\n"]) writer.add(line);
  await turn();
  expect(writer.dropped).toBe(2);
});
