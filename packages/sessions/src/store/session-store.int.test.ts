import { virtualClock } from "@framework/core/testing";
import { openDatabase } from "@framework/database";
import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
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

  test("the removal of expired rows keeps a number that is raised at the same time", async () => {
    const clock = virtualClock({ start: 1_800_000_000_000 });
    await using schema = await databaseInSchema(server);
    const [one, other] = [openDatabase({ url: schema.url }), openDatabase({ url: schema.url })];
    await using closing = new AsyncDisposableStack();
    for (const db of [one, other]) closing.defer(() => db.close());
    const store = databaseSessions(one, { clock });
    for (const key of ["raised", "expired"]) await store.raise(key, 1, 1000);
    for (let at = 1; at <= 497; at++) await store.raise("live", at, 60_000);
    await clock.advance(2000);
    const isRemoved = async (): Promise<boolean> =>
      (await other.fetchValue`SELECT count(*) FROM framework_session_numbers WHERE id = 'expired'`) === 0;
    await other.transaction(async (tx) => {
      await tx.execute`UPDATE framework_session_numbers SET value = 2, expires_at = ${clock.date() + 60_000}
        WHERE id = 'raised'`;
      await store.raise("live", 498, 60_000); // the 500th write, which starts the removal
      await waitFor(isRemoved, { subject: "the removal of expired rows", timeoutMs: 60_000 });
    });
    expect(await store.number("raised")).toBe(2);
  });
});
