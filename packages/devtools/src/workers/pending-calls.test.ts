import { afterEach, expect, jest, test } from "@jest/globals";
import { PendingCalls } from "./pending-calls.ts";

afterEach(() => {
  jest.useRealTimers();
});

test("a call that cannot be sent is refused at once and leaves no pending timeout", async () => {
  jest.useFakeTimers();
  const calls = new PendingCalls();
  await expect(calls.ask("1", () => false)).rejects.toMatchObject({ code: "DEVTOOLS_NO_ACTION" });
  expect(jest.getTimerCount()).toBe(0);
});

test("a call is answered by its id, or fails after 30 s", async () => {
  jest.useFakeTimers();
  const calls = new PendingCalls();
  const ids: string[] = [];
  const ask = () => calls.ask("1", (id) => ids.push(id) > 0);
  const answered = ask();
  const late = ask();
  const outcome = { ok: true } as never;
  calls.answer(ids[0] ?? "", outcome);
  expect(await answered).toBe(outcome);
  jest.advanceTimersByTime(30_000);
  await expect(late).rejects.toMatchObject({ code: "DEVTOOLS_NO_ANSWER" });
  calls.answer(ids[1] ?? "", outcome);
  expect(jest.getTimerCount()).toBe(0);
});
