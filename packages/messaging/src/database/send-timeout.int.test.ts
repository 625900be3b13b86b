import { App } from "@framework/core";
import { database, openDatabase } from "@framework/database";
import { databaseInSchema } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { messaging } from "../index.ts";

withServer("postgres", (server) => {
  test("sendTimeoutMs ends a send while another transaction locks the messages", async () => {
    await using storage = await databaseInSchema(server);
    const app = new (App.with(database, durable, messaging))()
      .enableDatabase({ url: storage.url })
      .enableMessaging({ sendTimeoutMs: 50 });
    app.messaging.subscribe("books", { group: "search" }, () => {});
    await app.start({ log: { info() {}, warn() {}, error() {} } });
    const other = openDatabase({ url: storage.url });
    const [locked, unlock] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const locking = other.transaction(async (tx) => {
      await tx.execute("LOCK TABLE framework_work IN ACCESS EXCLUSIVE MODE");
      locked.resolve();
      await unlock.promise;
    });
    await locked.promise;
    const failure = await app.messaging.send("books", { type: "t" }).catch((error: Error) => error);
    expect(failure).toMatchObject({ code: "MESSAGING_SEND_FAILED", status: 503 });
    expect(String((failure as Error).cause)).toContain("not confirmed within 50 ms");
    unlock.resolve();
    await locking;
    await app.stop();
    await other.close();
  });
});
