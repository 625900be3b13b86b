import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { memoryBroker, messaging } from "../index.ts";

const quiet = { info() {}, warn() {}, error() {} };

test.each([
  ["rabbitmq", "rabbitmq"],
  ["sqs", "aws_sqs"],
])(
  "traces of sends and handlers of %s have OpenTelemetry's system name and the broker's name in the app",
  async (name, system) => {
    const seen: unknown[] = [];
    const watcher: Feature = {
      name: "watcher",
      install(host) {
        host.insight.onOperation({
          kinds: ["message"],
          start: ({ role, attributes }) =>
            void seen.push([role, attributes["messaging.system"], attributes["messaging.broker"]]),
        });
        return {};
      },
    };
    const app = new (App.with(watcher, messaging))().enableMessaging({
      broker: { ...memoryBroker(), name },
    });
    app.messaging.subscribe("books", { group: "search" }, () => {});
    await app.start({ log: quiet });
    await app.messaging.send("books", { type: "t" });
    await waitFor(() => seen.length === 2, { timeoutMs: 60_000 });
    expect(seen).toEqual([
      ["producer", system, "default"],
      ["consumer", system, "default"],
    ]);
    await app.stop();
  },
);
