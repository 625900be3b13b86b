import { expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Socket } from "../../exchange/socket.ts";
import { WriteWatch } from "./write-watch.ts";

const LIMIT = 30;

/** Returns the second in which a client that reads `taken[i]` bytes in second i is detected as too slow; `null` for never. */
const cutAt = (taken: readonly number[], total = 100_000_000): number | null => {
  const counters = { bytesWritten: total, writableLength: total };
  const watch = new WriteWatch(counters as Socket, LIMIT); // it reads only the counters
  watch.checkTooSlow(0);
  for (const [at, bytes] of taken.entries()) {
    counters.writableLength = Math.max(0, counters.writableLength - bytes);
    if (watch.checkTooSlow((at + 1) * 1000)) return at + 1;
  }
  return null;
};

test("detects a client that reads fewer than 1,024 bytes per second within twice the limit, however they are distributed", () => {
  expect(cutAt(Array<number>(100).fill(300))).toBe(LIMIT);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1023 }), { minLength: 61, maxLength: 61 }), (taken) => {
      expect(cutAt(taken)).not.toBeNull();
    }),
  );
});

test("detects a client that reads nothing for the limit, whatever it read before", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 4096, max: 100_000 }), { maxLength: 100 }), (taken) => {
      const second = cutAt([...taken, ...Array<number>(LIMIT).fill(0)]) ?? Infinity;
      expect(second).toBeGreaterThanOrEqual(LIMIT);
      expect(second).toBeLessThanOrEqual(taken.length + LIMIT);
    }),
  );
});

test("serves a client that reads 1,024 bytes every second, and one that reads 64 KiB every 25 seconds", () => {
  expect(cutAt(Array<number>(1000).fill(1024))).toBeNull();
  expect(cutAt(Array.from({ length: 1000 }, (_, at) => (at % 25 === 0 ? 65_536 : 0)))).toBeNull();
});

test("does not count time in which no bytes wait", () => {
  expect(cutAt([1000, ...Array<number>(100).fill(0)], 1000)).toBeNull();
});
