import { expect, test } from "@jest/globals";
import { type Database, openDatabase } from "./index.ts";

/** Runs a function, and expects no unhandled rejection. */
const expectNoUnhandled = async (run: (db: Database) => Promise<void>): Promise<void> => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  const db = openDatabase({ url: "sqlite://:memory:" });
  try {
    await run(db);
    await new Promise((resolve) => setImmediate(resolve)); // Node reports rejections at the end of a turn
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", note);
    await db.close();
  }
};

test("promises that a handler does not await cause no unhandled rejections", async () => {
  await expectNoUnhandled(async (db) => {
    const calls = [
      () => db.query("SELECT * FROM nowhere"),
      () => db.fetchOne("SELECT * FROM nowhere"),
      () => db.fetchValue("SELECT * FROM nowhere"),
      () => db.execute("DELETE FROM nowhere"),
      () => db.transaction((tx) => tx.execute("DELETE FROM nowhere")),
      () => db.notify("not a channel", "x".repeat(100_000)),
    ];
    for (const call of calls) {
      void call();
      await expect(call()).rejects.toMatchObject({ message: expect.any(String) });
    }
  });
});

test("a function that fails after its transaction was aborted causes no unhandled rejection", async () => {
  await expectNoUnhandled(async (db) => {
    const stop = new AbortController();
    const pending = Promise.withResolvers<never>();
    const aborted = db.transaction(() => pending.promise, { signal: stop.signal });
    stop.abort(new Error("gone"));
    await expect(aborted).rejects.toThrow("gone");
    pending.reject(new Error("late"));

    const soon = new AbortController();
    const abortsItself = async (): Promise<never> => {
      soon.abort(new Error("gone"));
      return await pending.promise;
    };
    await expect(db.transaction(abortsItself, { signal: soon.signal })).rejects.toThrow("gone");
  });
});
