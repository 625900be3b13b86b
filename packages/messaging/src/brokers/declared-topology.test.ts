import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { expect, test } from "@jest/globals";
import type { BrokerAdapter, Topology } from "../adapter.ts";
import { memoryBroker, messaging, topic } from "../index.ts";

/** An in-memory broker that records calls of `topology`, and whether it was closed. */
const recordingBroker = (problemsOf: (mode: string) => readonly string[]) => {
  const inner = memoryBroker();
  const calls: (readonly [string, Topology])[] = [];
  let isClosed = false;
  const adapter: BrokerAdapter = {
    ...inner,
    open: (context) => ({
      ...inner.open(context),
      topology: async (spec, mode) => {
        calls.push([mode, spec]);
        return problemsOf(mode);
      },
      close: async () => {
        isClosed = true;
      },
    }),
  };
  return { adapter, calls, isClosed: () => isClosed };
};

test("declareTopology declares the topology of each broker before the app starts, and closes the brokers", async () => {
  const first = recordingBroker(() => []);
  const second = recordingBroker(() => {
    throw new Error("connect ECONNREFUSED");
  });
  const app = new (App.with(messaging))().enableMessaging({
    broker: first.adapter,
    topics: [topic("mails", {})],
  });
  app.messaging.addBroker("other", second.adapter);
  app.messaging.subscribe("orders", { group: "shop", order: "key" }, () => {});
  app.messaging.subscribe("orders", { group: "audit", broker: "other" }, () => {});
  expect(await app.messaging.declareTopology("create")).toEqual([
    { broker: "default", system: "memory", problems: [] },
    { broker: "other", system: "memory", problems: ["the broker cannot be queried: connect ECONNREFUSED"] },
  ]);
  expect(first.calls).toMatchObject([
    [
      "create",
      {
        topics: ["mails", "orders"],
        subscriptions: [
          { topics: ["orders"], group: "shop", order: "key", deadLetterTopic: "orders.shop.dlq" },
        ],
      },
    ],
  ]);
  expect([first.isClosed(), second.isClosed()]).toEqual([true, true]);
});

test("declareTopology passes the mode verify to the broker, and returns its problems", async () => {
  const { adapter, calls } = recordingBroker((mode) => (mode === "verify" ? ["there is no topic"] : []));
  const app = new (App.with(messaging))().enableMessaging({ broker: adapter });
  expect(await app.messaging.declareTopology("verify")).toMatchObject([{ problems: ["there is no topic"] }]);
  expect(calls).toMatchObject([["verify", {}]]);
});

test("declareTopology finds no problems on the app's database, which has migrations", async () => {
  const app = new (App.with(database, durable, messaging))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableMessaging();
  app.messaging.subscribe("orders", { group: "shop" }, () => {});
  expect(await app.messaging.declareTopology("create")).toEqual([
    { broker: "default", system: "database", problems: [] },
  ]);
  await app.db.close();
});

test("declareTopology rejects without a broker, and for a subscription that its broker does not support", async () => {
  const withoutBroker = new (App.with(messaging))();
  await expect(withoutBroker.messaging.declareTopology("create")).rejects.toMatchObject({
    code: "MESSAGING_NOT_ENABLED",
  });
  const { adapter, calls } = recordingBroker(() => []);
  const app = new (App.with(messaging))().enableMessaging({ broker: adapter });
  app.messaging.subscribe(/orders/, { group: "shop" }, () => {});
  await expect(app.messaging.declareTopology("create")).rejects.toMatchObject({
    code: "MESSAGING_BAD_CONFIG",
  });
  expect(calls).toEqual([]);
});
