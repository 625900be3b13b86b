import { virtualClock } from "@framework/testing";
import { expect, test } from "@jest/globals";
import type { ClaimedRow } from "../table/claiming.ts";
import { Attempt } from "./attempt.ts";
import { TimeLimits } from "./time-limits.ts";

const newLimits = () => {
  const clock = virtualClock();
  const reached: string[] = [];
  const limits = new TimeLimits({
    clock,
    limitMs: 100,
    onReached: ({ id }) => reached.push(`${id} at ${clock.now()}`),
  });
  const begin = (id: number): Attempt => {
    const attempt = new Attempt({ id } as ClaimedRow);
    attempt.beganAt = clock.now();
    limits.begin(attempt);
    return attempt;
  };
  return { clock, limits, reached, begin };
};

test("each handler reaches its own limit, even if earlier handlers have returned", async () => {
  const { clock, limits, reached, begin } = newLimits();
  const first = begin(1);
  await clock.advance(40);
  begin(2);
  begin(3);
  await clock.advance(30);
  limits.end(first);
  begin(4);
  await clock.advance(500);
  begin(5);
  await clock.advance(100);
  expect(reached).toEqual(["2 at 140", "3 at 140", "4 at 170", "5 at 670"]);
});

test("no limit is reached after the stop", async () => {
  const { clock, limits, reached, begin } = newLimits();
  begin(1);
  limits.stop();
  await clock.advance(1000);
  expect(reached).toEqual([]);
});
