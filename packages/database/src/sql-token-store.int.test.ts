import { tokenStoreContract } from "@framework/auth/testing";
import { virtualClock } from "@framework/core/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { openDatabase, sqlTokenStore } from "./index.ts";
import { databaseInSchema } from "./testing.ts";

withServer("postgres", (server) => {
  tokenStoreContract(test, async () => {
    const clock = virtualClock({ start: 1_800_000_000_000 });
    const { now, advance } = clock;
    const schema = await databaseInSchema(server);
    const { url } = schema;
    const [one, other] = [openDatabase({ url }), openDatabase({ url })];
    const close = async (): Promise<void> => {
      await Promise.all([one.close(), other.close()]);
      await schema[Symbol.asyncDispose]();
    };
    return { views: [sqlTokenStore(one, { clock }), sqlTokenStore(other, { clock })], now, advance, close };
  });
});
