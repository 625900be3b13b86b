import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { batchesOf, forEach } from "./batches.ts";

test("no request has more than 10 entries or 1 MiB, and together they have every entry in its order", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 1_048_576 }), { maxLength: 60 });
  fc.assert(
    fc.property(sizes, (entries) => {
      const batches = batchesOf(entries, (bytes) => bytes);
      expect(batches.flat()).toEqual(entries);
      for (const batch of batches) {
        expect(batch.length).toBeLessThanOrEqual(10);
        expect(batch.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(1_048_576);
      }
    }),
  );
});

test("eight are worked on at a time", async () => {
  let running = 0;
  let most = 0;
  await forEach(Array.from({ length: 30 }), async () => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
  });
  expect(most).toBe(8);
});
