import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { pause } from "./pause.ts";

test("a pause ends after its time or at the abort, and leaves no timer", async () => {
  const clock = virtualClock();
  const { signal } = new AbortController();
  const ended = pause(clock, 1000, signal);
  await clock.advance(1000);
  await ended;
  const ending = new AbortController();
  const cut = pause(clock, 1000, ending.signal);
  ending.abort();
  await cut;
  await pause(clock, 1000, ending.signal); // at once
  expect(clock.pending).toBe(0);
});
