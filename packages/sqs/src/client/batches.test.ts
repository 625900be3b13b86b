import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { batchesOf, forEach } from "./batches.ts";

test("batches have at most 10 entries and 1 MiB, and keep all entries in order", () => {
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

test("forEach runs at most eight calls concurrently", async () => {
  let running = 0;
  let maxRunning = 0;
  await forEach(Array.from({ length: 30 }), async () => {
    maxRunning = Math.max(maxRunning, ++running);
    await Promise.resolve();
    running--;
  });
  expect(maxRunning).toBe(8);
});
