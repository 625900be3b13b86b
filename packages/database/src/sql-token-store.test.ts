import { tokenStoreContract } from "@framework/auth/testing";
import { test } from "@jest/globals";
import { openDatabase, sqlTokenStore } from "./index.ts";

tokenStoreContract(test, () => {
  let time = 1_800_000_000_000;
  const now = (): number => time;
  const db = openDatabase({ url: "sqlite://:memory:" });
  const advance = (ms: number): void => void (time += ms);
  return {
    views: [sqlTokenStore(db, { now }), sqlTokenStore(db, { now })],
    now,
    advance,
    close: () => db.close(),
  };
});
