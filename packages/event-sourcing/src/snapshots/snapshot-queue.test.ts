import { expect, test } from "@jest/globals";
import { SnapshotQueue } from "./snapshot-queue.ts";

test("jobs run one at a time, and only the latest of each key", async () => {
  const done: string[] = [];
  const queue = new SnapshotQueue(() => {});
  let [running, maxRunning] = [0, 0];
  const offer = (key: string, name: string): void =>
    queue.offer(key, async () => {
      maxRunning = Math.max(maxRunning, ++running);
      await new Promise(setImmediate);
      running--;
      done.push(name);
    });
  offer("a", "a1");
  offer("b", "b1");
  offer("a", "a2");
  await queue.idle();
  expect([done, maxRunning]).toEqual([["b1", "a2"], 1]);
});

test("at most 1000 jobs wait, and further ones are dropped", async () => {
  const done: number[] = [];
  const queue = new SnapshotQueue(() => {});
  for (let job = 0; job < 1500; job++) queue.offer(String(job), async () => void done.push(job));
  await queue.idle();
  expect(done).toHaveLength(1000);
});

test("a job that fails does not stop the others", async () => {
  const failures: unknown[] = [];
  const queue = new SnapshotQueue((error) => failures.push(error));
  queue.offer("a", () => Promise.reject(new Error("no")));
  let ran = false;
  queue.offer("b", async () => {
    ran = true;
  });
  await queue.idle();
  expect([failures.length, ran]).toEqual([1, true]);
});

test("close runs waiting jobs until the deadline, and accepts no more", async () => {
  const done: string[] = [];
  const queue = new SnapshotQueue(() => {});
  const { promise, resolve } = Promise.withResolvers<void>();
  queue.offer("a", async () => {
    await promise;
    done.push("a");
  });
  queue.offer("b", async () => void done.push("b"));
  const deadline = new AbortController();
  const closed = queue.close(deadline.signal);
  await new Promise(setImmediate);
  deadline.abort();
  resolve();
  await closed;
  queue.offer("c", async () => void done.push("c"));
  await queue.idle();
  expect(done).toEqual(["a"]);
});
