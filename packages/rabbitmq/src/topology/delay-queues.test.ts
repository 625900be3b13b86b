import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { roundUp } from "./delay-queues.ts";

const delays = fc.integer({ min: 1, max: 604_800_000 });

test("a rounded delay is never shorter, and longer by at most 10 % or 10 ms", () => {
  fc.assert(
    fc.property(delays, (ms) => {
      const rounded = roundUp(ms);
      expect(Number.isInteger(rounded)).toBe(true);
      expect(rounded).toBeGreaterThanOrEqual(ms);
      expect(rounded).toBeLessThanOrEqual(Math.max(ms * 1.1, ms + 10));
    }),
  );
});

test("rounding is idempotent", () => {
  fc.assert(fc.property(delays, (ms) => expect(roundUp(roundUp(ms))).toBe(roundUp(ms))));
});

test("a retry delay with 20 % jitter needs at most five queues", () => {
  for (const tier of [5000, 30_000, 120_000, 600_000]) {
    const queues = new Set(Array.from({ length: 1001 }, (_, n) => roundUp(tier * (1 + n / 5000))));
    expect(queues.size).toBeLessThanOrEqual(5);
  }
});
