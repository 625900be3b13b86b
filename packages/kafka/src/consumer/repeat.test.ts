import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { repeat } from "./repeat.ts";

test("work is repeated at its exact interval until the signal aborts", async () => {
  const clock = virtualClock();
  const ending = new AbortController();
  const runs: number[] = [];
  const from = clock.now();
  const work = async (): Promise<void> => void runs.push(clock.now() - from);
  const ended = repeat(work, { clock, everyMs: 5000, signal: ending.signal });
  for (let second = 0; second < 11; second++) await clock.advance(1000);
  ending.abort();
  await ended;
  await clock.advance(10_000);
  expect(runs).toEqual([5000, 10_000]);
});
