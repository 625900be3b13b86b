import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { AdaptiveLimit } from "./adaptive-limit.ts";
import { processCpu, processMemory } from "./adaptive-probes.ts";
import { timedState } from "./limited-app.test-kit.ts";
import { machine } from "./machine.test-kit.ts";
import { RateLimitConfig } from "./rate-limit-config.ts";

test("a permit becomes free within Retry-After even if the limit is cut every second", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2000 }),
      fc.integer({ min: 1, max: 120 }),
      fc.integer({ min: 1, max: 50 }),
      (max, windowSecs, minRequests) => {
        const config = RateLimitConfig.of({
          algorithm: "adaptive",
          maxRequests: max,
          windowSecs,
          minRequests,
          probes: machine().probes,
        });
        const limit = new AdaptiveLimit(config, "default");
        const waitMs = limit.maxWaitMs((windowSecs * 1000) / max); // one permit
        let [permits, at, current] = [0, 0, max];
        while (at < waitMs) {
          current = Math.max(Math.min(minRequests, max), current * 0.9);
          const step = Math.min(1000, waitMs - at);
          permits += (step * Math.floor(current)) / (windowSecs * 1000);
          at += step;
        }
        expect(permits).toBeGreaterThan(1 - 1e-6);
      },
    ),
    { numRuns: 500 },
  );
});

/** Creates workers with an adaptive limit of at most 100 requests, on one shared state and one clock. */
const workers = () => {
  const { load, time, ticks, probes } = machine();
  const state = timedState();
  const startLimit = async (): Promise<AdaptiveLimit> => {
    const limit = new AdaptiveLimit(RateLimitConfig.of({ algorithm: "adaptive", probes }), "default");
    await limit.start(state.shared.values, (error) => {
      throw error;
    });
    return limit;
  };
  const pass = async (seconds: number): Promise<void> => {
    time.now += 1000 * seconds;
    state.time.now += 1000 * seconds;
    for (const tick of ticks) tick();
    await new Promise(setImmediate);
  };
  /** Starts a worker whose limit is cut to 90. */
  const startCutLimit = async (): Promise<AdaptiveLimit> => {
    const limit = await startLimit();
    load.cpu = 1;
    await pass(1);
    load.cpu = 0;
    return limit;
  };
  return { startLimit, startCutLimit, pass };
};

test("a worker that starts hours after the last change has the limit of the others", async () => {
  const { startLimit, startCutLimit, pass } = workers();
  const first = await startCutLimit();
  for (let minute = 0; minute < 180; minute++) await pass(60);
  const later = await startLimit();
  expect([first.capacity, later.capacity]).toEqual([90, 90]);
  await pass(1);
  expect([first.capacity, later.capacity]).toEqual([90, 90]);
});

test("a limit is kept for an hour from the start of a worker that adopted it", async () => {
  const { startLimit, startCutLimit, pass } = workers();
  const first = await startCutLimit();
  first.stop();
  await pass(3500);
  const second = await startLimit();
  await pass(1);
  second.stop();
  await pass(3500);
  expect((await startLimit()).capacity).toBe(90);
});

test("the default probes return shares from 0 to 1", () => {
  const cpu = processCpu(() => performance.now());
  let sum = 0;
  for (let index = 0; index < 3e6; index++) sum += index % 7;
  expect(sum).toBeGreaterThan(0);
  for (const share of [cpu(), processMemory()]) {
    expect(share).toBeGreaterThan(0);
    expect(share).toBeLessThanOrEqual(1);
  }
  expect(processCpu(() => 0)()).toBe(0);
});
