import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { fakeBroker, fakeDelivery } from "../consume/fake-broker.test-kit.ts";
import { messaging } from "../index.ts";

const quiet = { info() {}, warn() {}, error() {} };
const long = { timeoutMs: 60_000 };

/** Starts an app with the inbox and 5 tries, whose handler throws. */
const startThrowing = async () => {
  const broker = fakeBroker();
  const app = new (App.with(database, durable, messaging))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableMessaging({ broker: broker.adapter });
  const attempts: number[] = [];
  const retry = { quickTries: 5, quickDelayMs: 0, delaysMs: [] };
  const options = { group: "search", dedupe: "inbox", deadLetter: "parked", retry } as const;
  app.messaging.subscribe("books", options, ({ attempt }) => {
    attempts.push(attempt);
    throw new Error("broken");
  });
  await app.start({ log: quiet });
  await waitFor(() => app.messaging.status()[0]?.state === "running", long);
  return { app, broker, attempts };
};

test("with the inbox, tries that only the broker has counted are part of `attempt`", async () => {
  const { app, broker, attempts } = await startThrowing();
  broker.sink().deliver([fakeDelivery("1", { tries: 3 })]); // sent before the subscription had the inbox
  await waitFor(() => broker.settled.length === 1, long);
  expect(attempts).toEqual([4, 5]);
  const { items } = await app.durable.parked.list();
  expect(items[0]?.attempts).toBe(5);
  await app.stop();
});

test.each([
  [5, 0, "5 of 5 tries of the message have not ended; it may kill its process"],
  [5, 4, "1 of 5 tries of the message has not ended; it may kill its process"],
  [5, 5, "all 5 tries of the message have failed, but their process died before it stored the dead letter"],
])(
  "the dead letter of a message with %d tries in the inbox, of which %d have ended, says so",
  async (tries, ended, text) => {
    const { app, broker, attempts } = await startThrowing();
    await app.db.execute(
      "INSERT INTO framework_inbox (consumer, message, attempts, ended, seen_at) VALUES ($1, $2, $3, $4, $5)",
      ["default books search", "1\n/test", tries, ended, Date.now()],
    );
    broker.sink().deliver([fakeDelivery("1")]);
    await waitFor(() => broker.settled.length === 1, long);
    const { items } = await app.durable.parked.list();
    expect(items[0]).toMatchObject({ attempts: tries, errorMessage: `messaging: ${text}` });
    expect(attempts).toEqual([]);
    await app.stop();
  },
);
