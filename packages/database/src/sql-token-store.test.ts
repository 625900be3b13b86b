import { tokenStoreContract } from "@framework/auth/testing";
import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { openDatabase, sqlTokenStore } from "./index.ts";

tokenStoreContract(test, () => {
  const clock = virtualClock({ start: 1_800_000_000_000 });
  const { now, advance } = clock;
  const db = openDatabase({ url: "sqlite://:memory:" });
  return {
    views: [sqlTokenStore(db, { clock }), sqlTokenStore(db, { clock })],
    now,
    advance,
    close: () => db.close(),
  };
});

test("if the removal of expired tokens fails, its error is reported and writes succeed", async () => {
  const clock = virtualClock({ start: 1_800_000_000_000 });
  const db = openDatabase({ url: "sqlite://:memory:" });
  const failed = Promise.withResolvers<unknown>();
  const store = sqlTokenStore(db, { clock, onSweepError: failed.resolve });
  const expiresAt = clock.date() / 1000;
  await store.revoke("old", expiresAt - 100);
  await db.execute`CREATE TRIGGER keep BEFORE DELETE ON framework_tokens BEGIN SELECT RAISE(ABORT, 'kept'); END`;
  for (let generation = 1; generation < 1000; generation++)
    expect(await store.consume("login", generation, expiresAt + 100)).toBe(true);
  expect(String(await failed.promise)).toContain("kept");
  await db.close();
});
