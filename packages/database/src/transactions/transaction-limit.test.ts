import { createHook } from "node:async_hooks";
import { expect, test } from "@jest/globals";
import { waitFor } from "@framework/testing";
import { openDatabase } from "../index.ts";

test("a finished transaction leaves no timer", async () => {
  const timers = new Set<number>();
  const hook = createHook({
    init: (id, type) => void (type === "Timeout" && timers.add(id)),
    destroy: (id) => void timers.delete(id),
  });
  const db = openDatabase({ url: "sqlite://:memory:" });
  hook.enable();
  try {
    const limit = { timeoutSecs: 3600 };
    for (let done = 0; done < 50; done++) await db.transaction(async () => {}, limit);
    for (let failed = 0; failed < 50; failed++)
      await db.transaction(() => Promise.reject(new Error("no")), limit).catch(() => {});
    await waitFor(() => timers.size <= 5); // the timers of the wait itself
  } finally {
    hook.disable();
    await db.close();
  }
  expect(timers.size).toBeLessThanOrEqual(5);
});

test("invalid retries, isolation and unknown options of a transaction are refused", async () => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  const bad = { code: "DATABASE_BAD_TRANSACTION" };
  for (const options of [{ retries: 21 }, { retries: NaN }, { retries: -1 }, { isolation: "none" }])
    await expect(db.transaction(async () => {}, options as object)).rejects.toMatchObject(bad);
  await expect(db.transaction(async () => {}, { readonly: true } as object)).rejects.toMatchObject({
    ...bad,
    message: 'the options object of transaction has no field "readonly"; did you mean "readOnly"?',
  });
  await db.close();
});

test("a transaction that exceeds its limit and one that does not begin in time reject with different codes", async () => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  const never = Promise.withResolvers<void>();
  const limited = db.transaction(() => never.promise, { timeoutSecs: 0.1 });
  await expect(limited).rejects.toMatchObject({ code: "DATABASE_TRANSACTION_TIMEOUT", status: 503 });

  const begun = Promise.withResolvers<void>();
  const holding = db.transaction(async () => {
    begun.resolve();
    await never.promise;
  });
  await begun.promise;
  const waiting = db.transaction(async () => {}, { timeoutSecs: 0.1 });
  await expect(waiting).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE", status: 503 });
  never.resolve();
  await holding;
  await db.close();
});
