import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createKernel } from "../feature.ts";
import { postgresSchema } from "../testing/open-databases.test-kit.ts";

const log = { info() {}, warn() {}, error() {} };

withServer("postgres", (url) => {
  test("a signal reaches other processes through a notification", async () => {
    await using database = await postgresSchema(url);
    await using one = createKernel(database.open(), { log });
    await using other = createKernel(database.open(), { log });
    await one.start();
    await other.start();
    let heard = 0;
    other.wakeUp.on("jobs", () => heard++);
    await waitFor(() => (one.wakeUp.signal("jobs"), heard > 0), { subject: "the signal" });
    expect(heard).toBeGreaterThan(0);
  });

  test("a thousand signals of a transaction send at most two notifications, and a rolled-back transaction sends none", async () => {
    await using database = await postgresSchema(url);
    const db = database.open();
    await using kernel = createKernel(db, { log });
    await kernel.start();
    const heard: string[] = [];
    await database.open().listen("framework_durable", (payload) => heard.push(payload));
    await db.transaction(async (tx) => {
      for (let at = 0; at < 1000; at++) kernel.wakeUp.signalAfter(tx, "many");
    });
    await waitFor(() => heard.some((payload) => payload.endsWith(" many")), { subject: "a notification" });
    kernel.wakeUp.signal("last");
    await waitFor(() => heard.some((payload) => payload.endsWith(" last")), {
      subject: "the last notification",
    });
    expect(heard.filter((payload) => payload.endsWith(" many")).length).toBeLessThanOrEqual(2);
    const other = database.open();
    await other
      .transaction(async (tx) => {
        kernel.wakeUp.signalAfter(tx, "undone");
        await tx.execute`SELECT 1`;
        throw new Error("rolled back");
      })
      .catch(() => {});
    kernel.wakeUp.signal("end");
    await waitFor(() => heard.some((payload) => payload.endsWith(" end")), { subject: "the end" });
    expect(heard.filter((payload) => payload.endsWith(" undone"))).toEqual([]);
  });

  test("listeners are woken after the connection for notifications was lost, because signals may have been missed", async () => {
    await using database = await postgresSchema(url);
    const db = database.open();
    await using kernel = createKernel(db, { log });
    let woken = 0;
    kernel.wakeUp.on("jobs", () => woken++);
    await kernel.start();
    await waitFor(() => woken > 0, { subject: "the wake-up once it listens" });
    const before = woken;
    await database.open().execute`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE query LIKE 'LISTEN "framework_durable"%' AND pid <> pg_backend_pid()`;
    await waitFor(() => woken > before, { subject: "the wake-up after the gap" });
    expect(woken).toBeGreaterThan(before);
  });
});
