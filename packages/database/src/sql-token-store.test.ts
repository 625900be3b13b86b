import { tokenStoreContract } from "@framework/auth/testing";
import { virtualClock } from "@framework/core/testing";
import { test } from "@jest/globals";
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
