import { App } from "@framework/core";
import { database } from "@framework/database";
import { databaseInSchema, type TestDatabase } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type BrokerAdapter, memoryBroker, messaging } from "../index.ts";

const long = { timeoutMs: 60_000 };
const options = {
  group: "bank",
  dedupe: "inbox",
  concurrency: 2,
  prefetch: 2,
  retry: { quickTries: 1, delaysMs: [] },
} as const;

/** Starts a process whose handler writes an effect and returns when the test releases it. */
const startProcess = async ({ url }: TestDatabase, broker: BrokerAdapter, more: object = {}) => {
  const app = new (App.with(database, durable, messaging))()
    .enableDatabase({ url })
    .enableMessaging({ broker });
  const release = Promise.withResolvers<void>();
  let calls = 0;
  app.messaging.subscribe("payments", { ...options, ...more }, async ({ id }, { tx }) => {
    calls++;
    await tx.execute`INSERT INTO payments (message) VALUES (${id})`;
    await release.promise;
  });
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  await app.db.execute("CREATE TABLE IF NOT EXISTS payments (message TEXT NOT NULL)");
  return { app, release, calls: () => calls, status: () => app.messaging.status()[0] };
};

withServer("postgres", (server) => {
  test("a copy of a message that is being handled waits, and is then a duplicate", async () => {
    await using storage = await databaseInSchema(server);
    const { app, release, calls, status } = await startProcess(storage, memoryBroker());
    for (let copy = 1; copy <= 2; copy++) await app.messaging.send("payments", { type: "t", id: "a" });
    await waitFor(() => calls() === 1 && status()?.received === 2 && status()?.inFlight === 1, long);
    release.resolve();
    await waitFor(() => (status()?.done ?? 0) + (status()?.deadLettered ?? 0) === 2, long);
    expect([calls(), status()?.duplicates, status()?.deadLettered]).toEqual([1, 1, 0]);
    expect(Number(await app.db.fetchValue`SELECT count(*) FROM payments`)).toBe(1);
    await app.stop();
  });

  test("a handler keeps its effect if a copy of its message becomes a dead letter in another process", async () => {
    await using storage = await databaseInSchema(server);
    const broker = memoryBroker();
    const alone = { concurrency: 1, prefetch: 1 };
    const one = await startProcess(storage, broker, alone);
    await one.app.messaging.send("payments", { type: "t", id: "a" });
    await waitFor(() => one.calls() === 1, long);
    const other = await startProcess(storage, broker, alone);
    await one.app.messaging.send("payments", { type: "t", id: "a" });
    await waitFor(() => other.status()?.deadLettered === 1 && other.status()?.inFlight === 0, long);
    const attempts = () => one.app.db.fetchValue`SELECT count(*) FROM framework_inbox`;
    await waitFor(async () => Number(await attempts()) === 0, long); // the dead letter has reset the tries
    one.release.resolve();
    await waitFor(() => one.status()?.done === 1, long);
    expect(one.status()?.duplicates).toBe(0);
    expect(Number(await one.app.db.fetchValue`SELECT count(*) FROM payments`)).toBe(1);
    await Promise.all([one.app.stop(), other.app.stop()]);
  });

  test("a message that gets no connection for its transaction waits, without using up its tries", async () => {
    await using storage = await databaseInSchema(server);
    const app = new (App.with(database, durable, messaging))()
      .enableDatabase({ url: storage.url, poolSize: 4, connectionTimeoutSecs: 1 })
      .enableMessaging({ broker: memoryBroker() });
    const release = Promise.withResolvers<void>();
    let calls = 0;
    app.messaging.subscribe("payments", { ...options, concurrency: 8, prefetch: 8 }, async () => {
      calls++;
      await release.promise;
    });
    const warnings: string[] = [];
    await app.start({ log: { info() {}, warn: (message) => void warnings.push(message), error() {} } });
    await app.messaging.sendAll(
      "payments",
      Array.from({ length: 8 }, () => ({ type: "t" })),
    );
    const status = () => app.messaging.status()[0];
    const isUnavailable = (): boolean => warnings.some((text) => text.includes("the inbox is unavailable"));
    await waitFor(() => isUnavailable() || (status()?.deadLettered ?? 0) > 0, long);
    release.resolve();
    await waitFor(() => (status()?.done ?? 0) + (status()?.deadLettered ?? 0) === 8, long);
    expect([calls, status()?.deadLettered]).toEqual([8, 0]);
    await app.stop();
  });
});
