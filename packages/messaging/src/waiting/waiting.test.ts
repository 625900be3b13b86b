import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { pause } from "./pause.ts";
import { untilAborted } from "./until-aborted.ts";

test("a pause ends after its time, or at the abort, and leaves no timer behind", async () => {
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

test("a promise is waited for until the signal aborts", async () => {
  const ending = new AbortController();
  expect(await untilAborted(Promise.resolve(1), ending.signal)).toBe(1);
  await expect(untilAborted(Promise.reject(new Error("own")), ending.signal)).rejects.toThrow("own");
  const never = Promise.withResolvers<void>();
  const left = untilAborted(never.promise, ending.signal);
  ending.abort(new Error("closed"));
  await expect(left).rejects.toThrow("closed");
  never.reject(new Error("late")); // is no unhandled rejection
  await expect(untilAborted(Promise.reject(new Error("later")), ending.signal)).rejects.toThrow("closed");
});
