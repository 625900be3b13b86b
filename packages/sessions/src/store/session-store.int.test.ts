import { virtualClock } from "@framework/core/testing";
import { openDatabase } from "@framework/database";
import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { databaseSessions } from "../database.ts";
import { sessionStoreContract } from "../testing.ts";

withServer("postgres", (server) => {
  sessionStoreContract(test, async () => {
    const clock = virtualClock({ start: 1_800_000_000_000 });
    const schema = await databaseInSchema(server);
    const { url } = schema;
    const [one, other] = [openDatabase({ url }), openDatabase({ url })];
    const close = async (): Promise<void> => {
      await Promise.all([one.close(), other.close()]);
      await schema[Symbol.asyncDispose]();
    };
    const views = [databaseSessions(one, { clock }), databaseSessions(other, { clock })] as const;
    return { views, advance: clock.advance, close };
  });
});
