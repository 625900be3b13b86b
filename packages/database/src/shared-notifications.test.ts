import { App } from "@framework/core";
import type { SharedState } from "@framework/core/feature";
import { inProcessState } from "@framework/core/testing";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { database } from "./index.ts";

const silent = { info() {}, warn() {}, error() {} };

const newApp = () => new (App.with(database))().enableDatabase({ url: "sqlite://:memory:" });

test("on SQLite a notification reaches another worker through the shared state", async () => {
  const shared = inProcessState();
  const [one, other] = [newApp(), newApp()];
  for (const app of [one, other]) await app.start({ shared, log: silent });
  const seen: string[] = [];
  await one.db.listen("news", (payload) => seen.push(payload));
  await other.db.notify("news", "one");
  await waitFor(() => seen.length > 0);
  expect(seen).toEqual(["one"]);
  await Promise.all([one.stop(), other.stop()]);
});

type Publish = SharedState["values"]["publish"];

/** Faulty publish functions, by the title of their notification. Each publishes every message or loses it. */
const publishers: Record<string, (publish: Publish) => Publish> = {
  "that another worker does not confirm":
    (publish) =>
    async (...args) => {
      await publish(...args);
      throw new Error("a worker did not confirm");
    },
  "that this worker missed": () => async () => false,
  "that was not sent": () => () => Promise.reject(new Error("the message was not sent")),
};

test.each(Object.keys(publishers))("on SQLite a notification %s is received once", async (kind) => {
  const state = inProcessState();
  const publish = publishers[kind]?.(state.values.publish) as Publish;
  const shared = { ...state, values: { ...state.values, publish } };
  const app = newApp();
  await app.start({ shared, log: silent });
  const seen: string[] = [];
  await app.db.listen("news", (payload) => seen.push(payload));
  await app.db.notify("news", "one");
  await waitFor(() => seen.length > 0);
  await app.db.notify("news", "two");
  await waitFor(() => seen.includes("two"));
  expect(seen).toEqual(["one", "two"]);
  await app.stop();
});
