import { expect, test } from "@jest/globals";
import { SnapshotQueue } from "./snapshot-queue.ts";

const ignored = (): void => {};

test("jobs run one at a time, and only the latest of each key", async () => {
  const done: string[] = [];
  const queue = new SnapshotQueue();
  let [running, maxRunning] = [0, 0];
  const offer = (key: string, name: string): void =>
    queue.offer(
      key,
      async () => {
        maxRunning = Math.max(maxRunning, ++running);
        await new Promise(setImmediate);
        running--;
        done.push(name);
      },
      ignored,
    );
  offer("a", "a1");
  offer("b", "b1");
  offer("a", "a2");
  await queue.idle();
  expect([done, maxRunning]).toEqual([["b1", "a2"], 1]);
});

test("at most 1000 jobs wait, and further ones are dropped", async () => {
  const done: number[] = [];
  const queue = new SnapshotQueue();
  for (let job = 0; job < 1500; job++) queue.offer(String(job), async () => void done.push(job), ignored);
  await queue.idle();
  expect(done).toHaveLength(1000);
});

test("a job that fails reports its error, and does not stop the others", async () => {
  const failures: unknown[] = [];
  const queue = new SnapshotQueue();
  const error = new Error("no");
  queue.offer(
    "a",
    () => Promise.reject(error),
    (failure) => failures.push(failure),
  );
  let ran = false;
  queue.offer("b", async () => void (ran = true), ignored);
  await queue.idle();
  expect([failures, ran]).toEqual([[error], true]);
});

test("close runs waiting jobs until the deadline, and accepts no more", async () => {
  const done: string[] = [];
  const queue = new SnapshotQueue();
  const { promise, resolve } = Promise.withResolvers<void>();
  queue.offer(
    "a",
    async () => {
      await promise;
      done.push("a");
    },
    ignored,
  );
  queue.offer("b", async () => void done.push("b"), ignored);
  const deadline = new AbortController();
  const closed = queue.close(deadline.signal);
  await new Promise(setImmediate);
  deadline.abort();
  resolve();
  await closed;
  queue.offer("c", async () => void done.push("c"), ignored);
  await queue.idle();
  expect(done).toEqual(["a"]);
});
