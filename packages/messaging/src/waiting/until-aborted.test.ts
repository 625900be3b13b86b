import { expect, test } from "@jest/globals";
import { untilAborted } from "./until-aborted.ts";

test("untilAborted settles like its promise, or rejects when the signal aborts", async () => {
  const ending = new AbortController();
  expect(await untilAborted(Promise.resolve(1), ending.signal)).toBe(1);
  await expect(untilAborted(Promise.reject(new Error("own")), ending.signal)).rejects.toThrow("own");
  const never = Promise.withResolvers<void>();
  const pending = untilAborted(never.promise, ending.signal);
  ending.abort(new Error("closed"));
  await expect(pending).rejects.toThrow("closed");
  never.reject(new Error("late")); // must not be an unhandled rejection
  await expect(untilAborted(Promise.reject(new Error("later")), ending.signal)).rejects.toThrow("closed");
});
