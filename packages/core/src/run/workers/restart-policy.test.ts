import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { restartPolicy } from "./restart-policy.ts";

test("waits 100 ms before the first respawn and doubles up to 5 s", () => {
  const policy = restartPolicy(5, () => 0);
  const waits = Array.from({ length: 9 }, () => policy.countExit(0, 0));
  expect(waits).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
});

test("counts each slot separately and forgets exits after 60 s", () => {
  let time = 0;
  const policy = restartPolicy(5, () => time);
  policy.countExit(0, 0);
  expect(policy.countExit(1, 0)).toBe(100);
  time = 59_999;
  expect(policy.countExit(0, 0)).toBe(200);
  time = 60_000;
  expect(policy.countExit(0, 0)).toBe(200);
  time = 200_000;
  expect(policy.countExit(0, 0)).toBe(100);
});

test("gives up exactly when more than maxRestarts early exits occur within 60 s", () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 30 });
  fc.assert(
    fc.property(fc.nat(6), gaps, (maxRestarts, steps) => {
      let time = 0;
      const policy = restartPolicy(maxRestarts, () => time);
      const exits: number[] = [];
      for (const step of steps) {
        time += step;
        exits.push(time);
        const within = exits.filter((exit) => time - exit < 60_000).length;
        expect(policy.countEarlyExit()).toBe(within > maxRestarts);
      }
    }),
  );
});

test("a worker that served for a second is restarted after 100 ms, every time", () => {
  const policy = restartPolicy(5, () => 0);
  expect([policy.countExit(0, 0), policy.countExit(0, 999)]).toEqual([100, 200]);
  expect([policy.countExit(0, 1000), policy.countExit(0, 5000)]).toEqual([100, 100]);
});
