import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { findKnee } from "./find-knee.ts";
import type { Stage } from "./open-loop.ts";

const limits = { p99Ms: 100, maxRate: 20_000 };

/** A service that serves up to a capacity. */
const upTo =
  (capacity: number) =>
  async (rate: number): Promise<Stage> => ({
    offered: rate,
    answered: Math.min(rate, capacity),
    requests: rate,
    failures: 0,
    p50Ms: 1,
    p99Ms: rate > capacity ? 500 : 5,
    maxMs: 9,
  });

test("the capacity is found within 10 %", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 100, max: 19_000 }), async (capacity) => {
      const { capacity: found, reason, stages } = await findKnee(upTo(capacity), 100, limits);
      expect(found).toBeLessThanOrEqual(capacity);
      expect(found).toBeGreaterThanOrEqual(capacity * 0.89);
      expect(reason).toBe("p99 of 500 ms");
      expect(stages.length).toBeLessThan(30);
    }),
  );
});

test("the ramp ends at the highest rate; the capacity is 0 if no rate is within the limits", async () => {
  expect(await findKnee(upTo(1e9), 100, { ...limits, maxRate: 250 })).toMatchObject({
    capacity: 250,
    reason: null,
  });
  expect(await findKnee(upTo(0.5), 2, limits)).toMatchObject({ capacity: 0, best: null });
});

test("a rate is retried after one bad stage", async () => {
  let runs = 0;
  const run = async (rate: number): Promise<Stage> => ({
    ...(await upTo(1000)(rate)),
    ...(runs++ === 2 && { p99Ms: 900 }),
  });
  expect((await findKnee(run, 100, limits)).capacity).toBeGreaterThan(890);
});

test("constant latency is not an overload and growing latency is, although both delay replies past the end of the stage", async () => {
  const stage = async (p50Ms: number, answered: number): Promise<string | null> => {
    const run = async (): Promise<Stage> => ({
      offered: 100,
      answered,
      requests: 300, // 3 s
      failures: 0,
      p50Ms,
      p99Ms: 990,
      maxMs: 999,
    });
    return (await findKnee(run, 100, { p99Ms: 1000, maxRate: 100 })).reason;
  };
  expect(await stage(900, 70)).toBeNull();
  expect(await stage(500, 67)).toBe("67 of 100 requests/s were answered");
});

test.each([
  [{ failures: 50, requests: 1000 }, "50 of 1000 requests failed"],
  [{ answered: 90 }, "90 of 100 requests/s were answered"],
])("%j is over the capacity: %s", async (changes, reason) => {
  const run = async (rate: number): Promise<Stage> => ({ ...(await upTo(1e9)(rate)), ...changes });
  expect((await findKnee(run, 100, { ...limits, maxRate: 100 })).reason).toBe(reason);
});
