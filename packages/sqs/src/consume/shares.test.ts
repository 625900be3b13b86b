import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { sharesOf } from "./shares.ts";

test("every queue has one receiver, and all receivers together hold at most the prefetch", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 30 }), fc.integer({ min: 1, max: 50 }), (count, prefetch) => {
      const queues = Array.from({ length: count }, (_, at) => at);
      const shares = sharesOf(queues, prefetch);
      expect(shares.flatMap(({ sources }) => sources).toSorted((a, b) => a - b)).toEqual(queues);
      expect(shares.every(({ sources, max }) => sources.length > 0 && max > 0)).toBe(true);
      expect(shares.reduce((sum, { max }) => sum + max, 0)).toBeLessThanOrEqual(prefetch);
    }),
  );
});
