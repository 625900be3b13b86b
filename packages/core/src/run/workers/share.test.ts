import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { virtualClock } from "../../runtime/virtual-clock.ts";
import { type ModelWorker, SharedQueue } from "../testing/shared-queue.ts";
import { Share } from "./share.ts";

/** The mean number of the workers' connections, and the largest deviations above and below it. */
const spreadOf = (workers: readonly ModelWorker[]) => {
  const open = workers.map((worker) => worker.open);
  const mean = open.reduce((sum, each) => sum + each, 0) / workers.length;
  return { mean, above: Math.max(...open) - mean, below: mean - Math.min(...open) };
};

/** A single share; the test runs the turns of its event loop. */
const singleShare = () => {
  const clock = virtualClock();
  const turns: (() => void)[] = [];
  const seen = { open: 0, isPaused: false, shed: 0 };
  const share = new Share({
    connections: () => seen.open,
    pause: () => void (seen.isPaused = true),
    resume: () => void (seen.isPaused = false),
    shed: (count) => void (seen.shed += count),
    report: () => {},
    afterTurn: (call) => void turns.push(call),
    clock,
  });
  return { clock, turns, seen, share };
};

// A shed connection may return to the same worker once, so the limit is one higher. The worker with the fewest connections may lack the excess of all others.
test("no worker stays more than a tenth and one connection above the mean, and a blocked worker gets none until it continues", async () => {
  const arrival = fc.record({
    count: fc.integer({ min: 1, max: 40 }),
    afterMs: fc.integer({ min: 0, max: 400 }),
  });
  const arrivals = fc.array(arrival, { minLength: 1, maxLength: 10 });
  const property = fc.asyncProperty(
    fc.integer({ min: 2, max: 5 }),
    arrivals,
    fc.boolean(),
    async (count, batches, isBlocked) => {
      const queue = new SharedQueue(count);
      const [blocked] = queue.workers;
      if (isBlocked) blocked?.block();
      for (const batch of batches) {
        await queue.clock.advance(batch.afterMs);
        queue.waiting += batch.count;
      }
      for (let ms = 0; queue.waiting > 0 && ms < 2000; ms += 10) await queue.clock.advance(10);
      expect(queue.waiting).toBe(0); // later a worker may shed some, which reconnect
      expect(isBlocked ? blocked?.accepted : 0).toBe(0);
      blocked?.unblock();
      await queue.clock.advance(60_000);
      const { mean, above, below } = spreadOf(queue.workers);
      const limit = Math.max(1, mean / 10) + 1;
      expect(above).toBeLessThanOrEqual(limit);
      expect(below).toBeLessThanOrEqual(limit * (count - 1));
    },
  );
  await fc.assert(property, { numRuns: 100 });
});

test("a worker that was blocked gets its share afterwards", async () => {
  const queue = new SharedQueue(3);
  const [blocked] = queue.workers;
  blocked?.block();
  queue.waiting = 60;
  await queue.clock.advance(2000);
  expect(queue.workers.map(({ open }) => open)).toEqual([0, 30, 30]);
  blocked?.unblock();
  await queue.clock.advance(60_000);
  const { mean, above, below } = spreadOf(queue.workers);
  expect(mean).toBe(20);
  expect(Math.max(above, below)).toBeLessThanOrEqual(4);
});

test("a single worker accepts every connection and closes none", async () => {
  const queue = new SharedQueue(1);
  for (let batch = 0; batch < 20; batch++) {
    queue.waiting += 10;
    await queue.clock.advance(500);
  }
  expect(queue.workers[0]).toMatchObject({ open: 200, shedConnections: 0 });
});

test("workers that get no mean loads from the primary accept all connections and close none", async () => {
  const queue = new SharedQueue(2, { isMute: true });
  queue.waiting = 100;
  await queue.clock.advance(1000);
  expect(queue.waiting).toBe(0);
  await queue.clock.advance(60_000);
  expect(queue.workers.map(({ shedConnections }) => shedConnections)).toEqual([0, 0]);
});

test("a worker closes no connection while its means are older than its load", async () => {
  const { clock, turns, seen, share } = singleShare();
  share.updateMeans({ settled: 0, peak: 0 });
  seen.open = 50;
  for (let index = 0; index < 50; index++) share.accepted();
  for (let second = 0; second < 60; second++) {
    await clock.advance(1000);
    for (const turn of turns.splice(0)) turn();
  }
  expect(seen.shed).toBe(0);
  share.updateMeans({ settled: 20, peak: 20 });
  await clock.advance(5000);
  expect(seen.shed).toBe(5); // a tenth
});

test("the number of reports is bounded while clients connect and disconnect", async () => {
  const queue = new SharedQueue(2);
  const seconds = 10;
  for (let ms = 0; ms < seconds * 1000; ms++) {
    queue.waiting = 5;
    for (const worker of queue.workers) worker.lose(worker.open > 20 ? 20 : 0);
    await queue.clock.advance(1);
  }
  for (const { reports, accepted } of queue.workers) {
    expect(accepted).toBeGreaterThan(1000);
    expect(reports.length).toBeLessThan(210 * seconds); // one for each announcement, and one in each tick
  }
});

test("a worker that resumes and backs off within one turn has one timer for its next poll, and none after close", async () => {
  const { clock, turns, seen, share } = singleShare();
  seen.open = 1;
  share.accepted();
  expect(seen.isPaused).toBe(true);
  await clock.advance(20); // polls the queue
  expect(turns).toHaveLength(1);
  share.updateMeans({ settled: 10, peak: 10 });
  share.updateMeans({ settled: 0, peak: 0 });
  for (const turn of turns.splice(0)) turn();
  expect(clock.pending).toBe(2); // the tick and the poll
  share.close();
  expect(clock.pending).toBe(0);
});
