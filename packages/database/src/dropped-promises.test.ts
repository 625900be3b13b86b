import { expect, test } from "@jest/globals";
import { openDatabase } from "./index.ts";

test("promises that a handler drops are no unhandled rejections", async () => {
  const stray: unknown[] = [];
  const note = (reason: unknown): void => void stray.push(reason);
  process.on("unhandledRejection", note);
  const db = openDatabase({ url: "sqlite://:memory:" });
  try {
    const made = [
      () => db.query("SELECT * FROM nowhere"),
      () => db.fetchOne("SELECT * FROM nowhere"),
      () => db.fetchValue("SELECT * FROM nowhere"),
      () => db.execute("DELETE FROM nowhere"),
      () => db.transaction((tx) => tx.execute("DELETE FROM nowhere")),
      () => db.notify("not a channel", "x".repeat(100_000)),
    ];
    for (const make of made) {
      void make();
      await expect(make()).rejects.toMatchObject({ message: expect.any(String) });
    }
    await new Promise((resolve) => setImmediate(resolve)); // Node reports rejections once a turn is over
    expect(stray).toEqual([]);
  } finally {
    process.off("unhandledRejection", note);
    await db.close();
  }
});
