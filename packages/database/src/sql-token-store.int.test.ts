import { tokenStoreContract } from "@framework/auth/testing";
import { virtualClock } from "@framework/core/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { openDatabase, sqlTokenStore } from "./index.ts";

withServer("postgres", (url) => {
  tokenStoreContract(test, async () => {
    const clock = virtualClock({ start: 1_800_000_000_000 });
    const { now, advance } = clock;
    const [one, other] = [openDatabase({ url }), openDatabase({ url })];
    await one.execute("DROP TABLE IF EXISTS framework_tokens");
    const close = async (): Promise<void> => {
      await Promise.all([one.close(), other.close()]);
    };
    return { views: [sqlTokenStore(one, { clock }), sqlTokenStore(other, { clock })], now, advance, close };
  });
});
