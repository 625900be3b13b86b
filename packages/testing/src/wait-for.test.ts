import { expect, test } from "@jest/globals";
import { waitFor } from "./wait-for.ts";

test("resolves with the first truthy value", async () => {
  const values = [undefined, null, 0, "", false, "found", "later"];
  expect(await waitFor(() => values.shift(), { intervalMs: 1 })).toBe("found");
});

test("a condition may be asynchronous and may throw until it is true", async () => {
  let attempts = 0;
  const found = await waitFor(
    async () => {
      if (++attempts < 3) throw new Error("not yet");
      return attempts;
    },
    { intervalMs: 1 },
  );
  expect(found).toBe(3);
});

test("makes one attempt even with a timeout of 0", async () => {
  expect(await waitFor(() => "there", { timeoutMs: 0 })).toBe("there");
});

test("the error states the condition and the last result", async () => {
  const waiting = waitFor(() => 0, { timeoutMs: 20, intervalMs: 1, subject: "the third worker" });
  await expect(waiting).rejects.toMatchObject({ code: "TESTING_TIMEOUT" });
  await expect(waiting).rejects.toThrow("waited 20 ms for the third worker: the last attempt returned 0");
});

test("the error of the last attempt is the cause", async () => {
  const refused = new Error("connection refused");
  const waiting = waitFor(() => Promise.reject(refused), { timeoutMs: 20, intervalMs: 1 });
  await expect(waiting).rejects.toMatchObject({ cause: refused });
  await expect(waiting).rejects.toThrow(
    "waited 20 ms for a condition: the last attempt threw: connection refused",
  );
});

test("an attempt that never ends is abandoned at the timeout", async () => {
  const waiting = waitFor(() => new Promise(() => {}), { timeoutMs: 20 });
  await expect(waiting).rejects.toThrow("the first attempt did not end");
});

test("a pause longer than the remaining time ends at the timeout", async () => {
  await expect(waitFor(() => false, { timeoutMs: 20, intervalMs: 60_000 })).rejects.toThrow("waited 20 ms");
});

test("a timeout longer than the longest timer, such as Infinity, does not end the wait early", async () => {
  for (const timeoutMs of [Infinity, 2 ** 31]) {
    let attempts = 0;
    const found = await waitFor(() => ++attempts === 3, { timeoutMs });
    expect([found, attempts]).toEqual([true, 3]);
  }
});
