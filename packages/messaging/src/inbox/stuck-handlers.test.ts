import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { memoryBroker, messaging } from "../index.ts";

const quiet = { info() {}, warn() {}, error() {} };
const long = { timeoutMs: 60_000 };
const TIMEOUT_MS = 200;

test("with the inbox, a handler that ignores its signal keeps its slot and its key until it returns or is abandoned", async () => {
  const clock = virtualClock();
  const app = new (App.with(database, durable, messaging))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableMessaging({ broker: memoryBroker(), clock, drainMs: 0 });
  const calls: PromiseWithResolvers<void>[] = [];
  const retry = { quickTries: 5, quickDelayMs: 0, delaysMs: [] };
  const options = { group: "search", dedupe: "inbox", order: "key", timeoutMs: TIMEOUT_MS, retry } as const;
  app.messaging.subscribe("books", options, async ({ signal }) => {
    const call = Promise.withResolvers<void>();
    calls.push(call);
    await call.promise;
    signal.throwIfAborted();
  });
  await app.start({ log: quiet });
  await app.messaging.send("books", { type: "t", key: "k" });
  const status = () => app.messaging.status()[0];

  await waitFor(() => calls.length === 1, long);
  await clock.advance(TIMEOUT_MS);
  await waitFor(async () => (await endedAttempts(app)) === 1, long); // its transaction is rolled back, and the failure recorded
  await clock.advance(1000);
  expect([calls.length, status()?.inFlight]).toEqual([1, 1]);
  calls[0]?.resolve();
  await waitFor(() => status()?.retries === 1, long);

  await clock.advance(1);
  await waitFor(() => calls.length === 2, long);
  await clock.advance(TIMEOUT_MS);
  await waitFor(async () => (await endedAttempts(app)) === 2, long);
  await clock.advance(10_000);
  expect([status()?.abandoned, status()?.retries]).toEqual([1, 2]);
  for (const call of calls) call.resolve();
  const stopping = app.stop();
  await clock.advance(1);
  await stopping;
});

/** Returns the number of attempts that the inbox has recorded as failed. */
const endedAttempts = async ({
  db,
}: {
  readonly db: { fetchValue(sql: string): Promise<unknown> };
}): Promise<number> => Number(await db.fetchValue("SELECT SUM(ended) FROM framework_inbox"));
