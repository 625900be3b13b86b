import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { isoClock } from "./clock.ts";

test("a time has the format of Date.toISOString, after any sequence of times", () => {
  let now = 0;
  const iso = isoClock({ date: () => now });
  const steps = fc.array(fc.constantFrom(-1000, -1, 0, 0, 0.4, 1, 7, 999, 86_400_000), { maxLength: 40 });
  fc.assert(
    fc.property(fc.integer({ min: 1e12, max: 2e12 }), steps, (start, moves) => {
      now = start;
      for (const move of moves) {
        now += move;
        expect(iso()).toBe(new Date(Math.floor(now)).toISOString());
      }
    }),
  );
});
