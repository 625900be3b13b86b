import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { expect, test } from "@jest/globals";
import type { BrokerAdapter, Topology } from "../adapter.ts";
import { memoryBroker, messaging, topic } from "../index.ts";

/** A broker in memory that notes what it is asked for, and whether it was closed. */
const noting = (answer: (mode: string) => readonly string[]) => {
  const inner = memoryBroker();
  const asked: (readonly [string, Topology])[] = [];
  let isClosed = false;
  const adapter: BrokerAdapter = {
    ...inner,
    open: (context) => ({
      ...inner.open(context),
      topology: async (spec, mode) => {
        asked.push([mode, spec]);
        return answer(mode);
      },
      close: async () => {
        isClosed = true;
      },
    }),
  };
  return { adapter, asked, isClosed: () => isClosed };
};

test("the topology of an app is declared without its start, for each broker", async () => {
  const first = noting(() => []);
  const second = noting(() => {
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
    { broker: "other", system: "memory", problems: ["the broker cannot be asked: connect ECONNREFUSED"] },
  ]);
  expect(first.asked).toMatchObject([
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

test("verify only compares", async () => {
  const { adapter, asked } = noting((mode) => (mode === "verify" ? ["there is no topic"] : []));
  const app = new (App.with(messaging))().enableMessaging({ broker: adapter });
  expect(await app.messaging.declareTopology("verify")).toMatchObject([{ problems: ["there is no topic"] }]);
  expect(asked).toMatchObject([["verify", {}]]);
});

test("the app's database is left to its migrations", async () => {
  const app = new (App.with(database, durable, messaging))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableMessaging();
  app.messaging.subscribe("orders", { group: "shop" }, () => {});
  expect(await app.messaging.declareTopology("create")).toEqual([
    { broker: "default", system: "database", problems: [] },
  ]);
  await app.db.close();
});

test("without a broker, and for a subscription that its broker cannot have, nothing is declared", async () => {
  const none = new (App.with(messaging))();
  await expect(none.messaging.declareTopology("create")).rejects.toMatchObject({
    code: "MESSAGING_NOT_ENABLED",
  });
  const { adapter, asked } = noting(() => []);
  const app = new (App.with(messaging))().enableMessaging({ broker: adapter });
  app.messaging.subscribe(/orders/, { group: "shop" }, () => {});
  await expect(app.messaging.declareTopology("create")).rejects.toMatchObject({
    code: "MESSAGING_BAD_CONFIG",
  });
  expect(asked).toEqual([]);
});
