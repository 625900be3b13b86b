import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { database } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { memoryBroker, messaging } from "./index.ts";

const log = { info() {}, warn() {}, error() {} };
const long = { timeoutMs: 60_000 };

/** Creates a feature whose listening task fails once a condition holds. */
const failingFeature = (until: () => boolean): Feature => ({
  name: "failing",
  install(host) {
    const run = async (): Promise<void> => {
      await waitFor(until, long);
      throw new Error("no port");
    };
    host.life.onListening({ name: "failing", run });
    return {};
  },
});

test.each(["memory", "database"] as const)(
  "a failed start closes running subscriptions, and another app receives their messages: %s",
  async (where) => {
    await using storage = databaseInFile();
    const broker = where === "memory" ? memoryBroker() : "database";
    const got: string[] = [];
    const appWith = (name: string, feature: Feature) => {
      const app = new (App.with(database, durable, messaging, feature))()
        .enableDatabase({ url: storage.url })
        .enableDurable({ pollMinMs: 5, pollMaxMs: 50 })
        .enableMessaging({ broker });
      app.messaging.subscribe("books", { group: "search" }, () => void got.push(name));
      return app;
    };
    const broken = appWith(
      "broken",
      failingFeature(() => broken.messaging.status()[0]?.state === "running"),
    );
    await expect(broken.start({ log })).rejects.toThrow("no port");
    expect(broken.messaging.status().map(({ state }) => state)).toEqual(["closed"]);
    const app = appWith("whole", { name: "whole", install: () => ({}) });
    await app.start({ log });
    for (let sent = 1; sent <= 10; sent++) await app.messaging.send("books", { type: "t" });
    await waitFor(() => got.length === 10, long);
    expect(new Set(got)).toEqual(new Set(["whole"]));
    await app.stop();
  },
);
