import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { seededRandom } from "./seeded-random.ts";

const take = (random: () => number, count: number): number[] => Array.from({ length: count }, random);

test("the same seed returns the same numbers, all from 0 to below 1", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (seed) => {
      const numbers = take(seededRandom(seed), 20);
      expect(take(seededRandom(seed), 20)).toEqual(numbers);
      expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    }),
  );
});

test("neighbouring seeds return different numbers, even if they differ only in the high half", () => {
  const seeds = [-1, 0, 1, 2, 2 ** 32, 2 ** 32 + 1, 2 ** 33, Number.MAX_SAFE_INTEGER];
  expect(new Set(seeds.map((seed) => take(seededRandom(seed), 3).join())).size).toBe(seeds.length);
});

test("numbers are evenly distributed and independent of the previous one", () => {
  const random = seededRandom(7);
  const cells = Array.from({ length: 100 }, () => 0); // pairs of successive numbers, 10 by 10
  const pairs = 50_000;
  for (let pair = 0; pair < pairs; pair++) {
    const cell = Math.floor(random() * 10) * 10 + Math.floor(random() * 10);
    cells[cell] = (cells[cell] ?? 0) + 1;
  }
  const expected = pairs / cells.length;
  const chiSquared = cells.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  expect(chiSquared).toBeLessThan(148); // 99 degrees of freedom: 0.1 % of uniform distributions exceed it
});

test.each([0.5, Number.NaN, Infinity, 2 ** 53])("%p is not a valid seed", (seed) => {
  expect(() => seededRandom(seed)).toThrow(expect.objectContaining({ code: "TESTING_BAD_OPTION" }));
});
