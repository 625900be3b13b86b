import { openDatabase } from "@framework/database";
import { databaseInSchema } from "@framework/database/testing";
import { createKernel } from "@framework/durable/feature";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { databaseBroker } from "./database-broker.ts";
import { DatabaseProducer } from "./database-producer.ts";
import { Groups } from "./groups.ts";

const quiet = { info() {}, warn() {}, error() {} };

withServer("postgres", (server) => {
  test("messages sent before their topic had a group stay with the first of two groups that start at the same time", async () => {
    await using storage = await databaseInSchema(server);
    const [db, other] = [openDatabase({ url: storage.url }), openDatabase({ url: storage.url })];
    const kernel = createKernel(db, { config: { runWork: false }, log: quiet });
    databaseBroker(kernel);
    await kernel.start();
    const groups = new Groups(kernel);
    const message = { id: "1", topic: "books", key: null, headers: {}, body: "1", delayMs: 0 };
    await new DatabaseProducer(kernel, groups).send([message], { signal: new AbortController().signal });
    let hasAdopted = false;
    let adopting: Promise<boolean> = Promise.resolve(false);
    const isWaiting = async (): Promise<boolean> =>
      Number(
        await other.fetchValue`SELECT count(*) FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE framework_work%'`,
      ) > 0;
    await other.transaction(async (tx) => {
      await tx.execute`UPDATE framework_work SET queue = 'message:books:first'`;
      adopting = groups.adopt("books", "second", "none", "all").finally(() => (hasAdopted = true));
      await waitFor(async () => hasAdopted || (await isWaiting()), { timeoutMs: 60_000 });
    });
    expect(await adopting).toBe(false);
    expect(await other.fetchAll`SELECT queue FROM framework_work`).toEqual([
      { queue: "message:books:first" },
    ]);
    await kernel.stop();
    await Promise.all([db.close(), other.close()]);
  });
});
