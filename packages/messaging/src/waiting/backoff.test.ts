import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { backoffMs } from "./backoff.ts";

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test("a pause is random up to a limit that doubles with each failure, to at most 30 s", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), random, (failures, part) => {
      const limit = Math.min(30_000, 200 * 2 ** (failures - 1));
      expect(backoffMs(failures, part)).toBe(Math.round(part * limit));
    }),
  );
});

test("processes that fail together retry at different times", () => {
  const pauses = new Set(Array.from({ length: 1000 }, (_, n) => backoffMs(6, n / 1000)));
  expect(pauses.size).toBeGreaterThan(900);
});
