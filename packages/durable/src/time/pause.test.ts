import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { pause } from "./pause.ts";

test("a pause ends after its time or at the abort, and leaves no timer", async () => {
  const clock = virtualClock();
  const { signal } = new AbortController();
  const whole = pause(clock, 1000, signal);
  await clock.advance(999);
  expect(clock.pending).toBe(1);
  await clock.advance(1);
  await whole;
  const controller = new AbortController();
  const interrupted = pause(clock, 1000, controller.signal);
  controller.abort();
  await interrupted;
  await pause(clock, 1000, controller.signal); // at once
  expect(clock.pending).toBe(0);
});
