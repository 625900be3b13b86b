import { afterEach, expect, jest, test } from "@jest/globals";
import { PendingCalls } from "./pending-calls.ts";

afterEach(() => {
  jest.useRealTimers();
});

test("a call that cannot be sent is rejected immediately and leaves no pending timeout", async () => {
  jest.useFakeTimers();
  const calls = new PendingCalls();
  await expect(calls.start("1", () => false)).rejects.toMatchObject({ code: "DEVTOOLS_NO_ACTION" });
  expect(jest.getTimerCount()).toBe(0);
});

test("a call resolves with the outcome of its id, or fails after 30 s", async () => {
  jest.useFakeTimers();
  const calls = new PendingCalls();
  const ids: string[] = [];
  const startCall = () => calls.start("1", (id) => ids.push(id) > 0);
  const answered = startCall();
  const timedOut = startCall();
  const outcome = { ok: true } as never;
  calls.resolve(ids[0] ?? "", outcome);
  expect(await answered).toBe(outcome);
  jest.advanceTimersByTime(30_000);
  await expect(timedOut).rejects.toMatchObject({ code: "DEVTOOLS_NO_ANSWER" });
  calls.resolve(ids[1] ?? "", outcome);
  expect(jest.getTimerCount()).toBe(0);
});
