import { expect, test } from "@jest/globals";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import type { Options } from "amqplib";
import { newName, onServer, TestApp } from "./process.test-kit.ts";

const attributes = (id: string, partitionkey: string) => ({
  specversion: "1.0",
  id,
  type: "t",
  source: "/elsewhere",
  partitionkey,
});

/** Returns an event in binary mode, with a prefix. */
const binary =
  (prefix: string) =>
  (...given: Parameters<typeof attributes>): readonly [string, Options.Publish] => {
    const all = Object.entries(attributes(...given)).map(([name, value]) => [`${prefix}${name}`, value]);
    return ["{}", { contentType: "application/json", headers: Object.fromEntries(all) }];
  };

const structured = (...given: Parameters<typeof attributes>): readonly [string, Options.Publish] => [
  JSON.stringify(attributes(...given)),
  { contentType: "application/cloudevents+json; charset=utf-8" },
];

withServer("rabbitmq", (url) => {
  test.each([
    ["cloudEvents_", binary("cloudEvents_")],
    ["cloudEvents:", binary("cloudEvents:")],
    ["ce-", binary("ce-")],
    ["structured", structured],
  ] as const)(
    "events of other systems are handled in the order of their partitionkey: %s",
    async (_mode, event) => {
      const topic = newName();
      const calls: string[] = [];
      const first = Promise.withResolvers<void>();
      await using one = new TestApp({ url, topics: [topic] });
      one.subscribe(topic, { order: "key" }, async ({ id, key }) => {
        calls.push(`${id} ${key}`);
        if (id === "1") await first.promise;
      });
      await one.start();
      await onServer(url, async (channel) => {
        for (const [id, key] of [
          ["1", "a"],
          ["2", "a"],
          ["3", "b"],
        ] as const) {
          const [body, options] = event(id, key);
          channel.publish(topic, "", Buffer.from(body), options);
        }
        await channel.checkExchange(topic); // responds after the messages were sent
      });
      await waitFor(() => calls.includes("3 b"));
      expect(calls).toEqual(["1 a", "3 b"]);
      first.resolve();
      await waitFor(() => calls.length === 3);
      expect(calls[2]).toBe("2 a");
    },
  );
});
