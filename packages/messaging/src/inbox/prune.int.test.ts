import { openDatabase } from "@framework/database";
import { databaseInSchema } from "@framework/database/testing";
import { createKernel } from "@framework/durable/feature";
import { withServer } from "@framework/services";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { DatabaseInbox } from "./database-inbox.ts";

const quiet = { info() {}, warn() {}, error() {} };

withServer("postgres", (server) => {
  test("the removal of messages not delivered for 7 days keeps a message that is delivered again at the same time", async () => {
    await using storage = await databaseInSchema(server);
    const [db, other] = [openDatabase({ url: storage.url }), openDatabase({ url: storage.url })];
    const kernel = createKernel(db, { config: { runWork: false }, log: quiet });
    const inbox = new DatabaseInbox(kernel);
    inbox.use();
    await kernel.start();
    for (const message of ["repeated", "old"])
      await db.execute`INSERT INTO framework_inbox (consumer, message, attempts, ended, seen_at, done_at)
        VALUES ('books', ${message}, 1, 0, 0, 0)`;
    const clock = virtualClock();
    inbox.begin(clock, quiet);
    const isOldRemoved = async (): Promise<boolean> =>
      Number(await other.fetchValue`SELECT count(*) FROM framework_inbox WHERE message = 'old'`) === 0;
    const isWaiting = async (): Promise<boolean> =>
      Number(
        await other.fetchValue`SELECT count(*) FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND query LIKE 'DELETE FROM framework_inbox%'`,
      ) > 0;
    await other.transaction(async (tx) => {
      await tx.execute`UPDATE framework_inbox SET seen_at = ${Date.now()} WHERE message = 'repeated'`;
      await clock.advance(600_000);
      await waitFor(async () => (await isOldRemoved()) || (await isWaiting()), { timeoutMs: 60_000 });
    });
    await waitFor(isOldRemoved, { timeoutMs: 60_000 });
    expect(await other.fetchAll`SELECT message FROM framework_inbox`).toEqual([{ message: "repeated" }]);
    inbox.end();
    await kernel.stop();
    await Promise.all([db.close(), other.close()]);
  });
});
