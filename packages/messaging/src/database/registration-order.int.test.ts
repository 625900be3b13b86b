import { App } from "@framework/core";
import { database, openDatabase } from "@framework/database";
import { databaseInSchema } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { messaging } from "../index.ts";

withServer("postgres", (server) => {
  test("processes that subscribe to the same topics in another order register their groups without a deadlock", async () => {
    await using storage = await databaseInSchema(server);
    const appOn = (...topics: string[]) => {
      const app = new (App.with(database, durable, messaging))()
        .enableDatabase({ url: storage.url })
        .enableMessaging();
      for (const topic of topics) app.messaging.subscribe(topic, { group: "search" }, () => {});
      return app;
    };
    const log = { info() {}, warn() {}, error() {} };
    const first = appOn("earlier"); // creates the tables
    await first.start({ log });
    await first.stop();
    const db = openDatabase({ url: storage.url });
    const app = appOn("b", "a");
    let starting: Promise<unknown> = Promise.resolve();
    const isWaiting = async (): Promise<boolean> => {
      const sql =
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%framework_message_groups%'";
      return Number(await db.fetchValue(sql)) > 0;
    };
    const registering = db.transaction(
      async (tx) => {
        await tx.execute("SET LOCAL deadlock_timeout = '10ms'"); // this transaction detects a deadlock first
        for (const topic of ["a", "b"]) {
          await tx.execute`INSERT INTO framework_message_groups (topic, name, ordering) VALUES (${topic}, 'search', 'none')`;
          if (topic === "b") return;
          starting = app.start({ log });
          await waitFor(isWaiting, { timeoutMs: 60_000 });
        }
      },
      { retries: 0 },
    );
    await expect(registering).resolves.toBeUndefined();
    await starting;
    await app.stop();
    await db.close();
  });
});
