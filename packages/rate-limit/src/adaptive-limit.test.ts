import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { AdaptiveLimit } from "./adaptive-limit.ts";
import { processCpu, processMemory } from "./adaptive-probes.ts";
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
