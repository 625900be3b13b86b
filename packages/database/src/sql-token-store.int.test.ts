import { tokenStoreContract } from "@framework/auth/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { openDatabase, sqlTokenStore } from "./index.ts";

withServer("postgres", (url) => {
  tokenStoreContract(test, async () => {
    let time = 1_800_000_000_000;
    const now = (): number => time;
    const [one, other] = [openDatabase({ url }), openDatabase({ url })];
    await one.execute("DROP TABLE IF EXISTS framework_tokens");
    const advance = (ms: number): void => void (time += ms);
    const close = async (): Promise<void> => {
      await Promise.all([one.close(), other.close()]);
    };
    return { views: [sqlTokenStore(one, { now }), sqlTokenStore(other, { now })], now, advance, close };
  });
});
