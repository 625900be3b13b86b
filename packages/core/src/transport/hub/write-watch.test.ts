import { expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Socket } from "../../exchange/socket.ts";
import { WriteWatch } from "./write-watch.ts";

const LIMIT = 30;

/** The second in which a client is found too slow that takes so many bytes in each second; `null` for none. */
const cutAt = (taken: readonly number[], total = 100_000_000): number | null => {
  const counters = { bytesWritten: total, writableLength: total };
  const watch = new WriteWatch(counters as Socket, LIMIT); // the counters are all that it reads
  watch.isTooSlow(0);
  for (const [at, bytes] of taken.entries()) {
    counters.writableLength = Math.max(0, counters.writableLength - bytes);
    if (watch.isTooSlow((at + 1) * 1000)) return at + 1;
  }
  return null;
};

test("finds a client that takes fewer than 1,024 bytes a second within two limits, however it spreads them", () => {
  expect(cutAt(Array<number>(100).fill(300))).toBe(LIMIT);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1023 }), { minLength: 61, maxLength: 61 }), (taken) => {
      expect(cutAt(taken)).not.toBeNull();
    }),
  );
});

test("finds a client that takes nothing for the limit, whatever it took before", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 4096, max: 100_000 }), { maxLength: 100 }), (taken) => {
      const second = cutAt([...taken, ...Array<number>(LIMIT).fill(0)]) ?? Infinity;
      expect(second).toBeGreaterThanOrEqual(LIMIT);
      expect(second).toBeLessThanOrEqual(taken.length + LIMIT);
    }),
  );
});

test("serves a client that takes 1,024 bytes in each second, and one that takes 64 KiB in every 25", () => {
  expect(cutAt(Array<number>(1000).fill(1024))).toBeNull();
  expect(cutAt(Array.from({ length: 1000 }, (_, at) => (at % 25 === 0 ? 65_536 : 0)))).toBeNull();
});

test("counts no time in which nothing waits", () => {
  expect(cutAt([1000, ...Array<number>(100).fill(0)], 1000)).toBeNull();
});
