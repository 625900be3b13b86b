// Above 250 lines, because the tests share a server; each covers one way in which offsets repeat.
import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { messaging } from "@framework/messaging";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { LIMIT_MS, newTopic, until, untilRunning } from "./faults.test-kit.ts";
import { kafkaBroker } from "./index.ts";
import {
  bareClient,
  isCommitted,
  isDone,
  createTopic,
  isTrueWithin,
  delayPosition,
  resetOnce,
} from "./recreated-topic.test-kit.ts";

/** Messages of the old topic: more than in the new topic, even with duplicates. Otherwise the new topic would be read from the old position (see README). */
const old = Array.from({ length: 10 }, (_, value) => value);

withServer("kafka", (brokers) => {
  test(
    "messages of a recreated topic are handled from its first offset",
    async () => {
      const topic = newTopic();
      const bare = bareClient(brokers);
      const [admin, producer] = [bare.admin(), bare.producer()];
      await Promise.all([admin.connect(), producer.connect()]);
      const send = (values: readonly number[]) =>
        producer.send({ topic, messages: values.map((value) => ({ key: "k", value: String(value) })) });
      const app = new (App.with(messaging))().enableMessaging({
        broker: kafkaBroker({ brokers, metadataMs: 2000 }),
        drainMs: 1000,
      });
      const got: unknown[] = [];
      app.messaging.subscribe(topic, { group: topic, raw: true }, ({ data }) => void got.push(data));
      await app.start({ log: { info() {}, warn() {}, error() {} } });
      await untilRunning(app);
      await send(old);
      await until("the commit", () => isCommitted(admin, topic));
      await admin.deleteTopics({ topics: [topic] });
      await until("the new topic", () => createTopic(admin, topic));
      await until("the new messages", () => isDone(send([10, 11, 12])));
      await until(
        () => `the new messages: ${String(got)}`,
        () => new Set(got).size === 13,
      );
      expect([...new Set(got)]).toEqual([...old, 10, 11, 12]);
      // The broker removes the group's offsets of a deleted topic in the background; on a busy machine, it also removes the first offsets of the new topic.
      for (let value = 13; !(await isTrueWithin(5000, () => isCommitted(admin, topic))); value++) {
        expect(value).toBeLessThan(30);
        await send([value]);
      }
      await app.stop();
      await Promise.all([admin.disconnect(), producer.disconnect()]);
    },
    LIMIT_MS,
  );

  test(
    "messages of a recreated topic are handled even if nothing was committed and the group has rebalanced",
    async () => {
      const topic = newTopic();
      const bare = bareClient(brokers);
      const [admin, producer] = [bare.admin(), bare.producer()];
      await Promise.all([admin.connect(), producer.connect()]);
      const send = (values: readonly number[]) =>
        producer.send({ topic, messages: values.map((value) => ({ key: "k", value: String(value) })) });
      const got: unknown[] = [];
      const aborted: unknown[] = [];
      const appOf = () => {
        const app = new (App.with(messaging))().enableMessaging({
          broker: kafkaBroker({ brokers, partitions: 1, metadataMs: 2000 }),
          drainMs: 100,
        });
        app.messaging.subscribe(topic, { group: topic, raw: true }, async ({ data, signal }) => {
          got.push(data);
          if (data !== 0) return;
          await new Promise((resolve) => signal.addEventListener("abort", resolve)); // so nothing is committed
          aborted.push(data);
        });
        return app;
      };
      const [one, other] = [appOf(), appOf()];
      const log = { info() {}, warn() {}, error() {} };
      await one.start({ log });
      await untilRunning(one);
      await send(old);
      await until("the messages", () => got.length === 10);
      await admin.deleteTopics({ topics: [topic] });
      await until("the new topic", () => createTopic(admin, topic));
      await other.start({ log }); // the group rebalances
      await untilRunning(other);
      await untilRunning(one);
      await until("the new messages to be sent", () => isDone(send([10, 11, 12])));
      await until(
        () => `the new messages: ${String(got)}`,
        () => new Set(got).size === 13,
      );
      expect([...new Set(got)]).toEqual([...old, 10, 11, 12]);
      await Promise.all([one.stop(), other.stop()]);
      await Promise.all([admin.disconnect(), producer.disconnect()]);
      expect(aborted).toEqual([0]);
    },
    LIMIT_MS,
  );

  test(
    "repeated offsets after a reset of the position are handled",
    async () => {
      const topic = newTopic();
      const app = new (App.with(messaging))().enableMessaging({
        broker: kafkaBroker({ brokers, partitions: 1 }),
        drainMs: 1000,
      });
      const got: unknown[] = [];
      app.messaging.subscribe(topic, { group: topic }, ({ data }) => void got.push(data));
      const warnings: string[] = [];
      await app.start({
        log: { info() {}, warn: (message: string) => void warnings.push(message), error() {} },
      });
      await untilRunning(app);
      for (const data of [0, 1, 2]) await app.messaging.send(topic, { type: "t", key: "k", data });
      await until("the messages", () => got.length === 3);
      const admin = bareClient(brokers).admin();
      await admin.connect();
      await until("the commit", () => isCommitted(admin, topic)); // a later commit would undo the reset
      await admin.disconnect();
      resetOnce(topic);
      await until("the messages again", () => got.length === 6);
      await app.messaging.send(topic, { type: "t", key: "k", data: 3 });
      await until("a new message", () => got.length === 7);
      expect(got).toEqual([0, 1, 2, 0, 1, 2, 3]);
      expect(warnings.join("\n")).toContain(`the offsets of the partition ${topic}-0 were reset`);
      await app.stop();
    },
    LIMIT_MS,
  );

  test(
    "a position that was fetched before a commit is not treated as a reset",
    async () => {
      const topic = newTopic();
      const gate = Promise.withResolvers<void>();
      const got: unknown[] = [];
      const warnings: string[] = [];
      const log = { info() {}, warn: (message: string) => void warnings.push(message), error() {} };
      const appOf = () => {
        const app = new (App.with(messaging))().enableMessaging({
          broker: kafkaBroker({ brokers, partitions: 1 }),
          drainMs: 1000,
        });
        app.messaging.subscribe(topic, { group: topic }, async ({ data }) => {
          got.push(data);
          if (data === 1) await gate.promise;
        });
        return app;
      };
      const [one, other] = [appOf(), appOf()];
      await one.start({ log });
      await untilRunning(one);
      for (const data of [0, 1, 2]) await one.messaging.send(topic, { type: "t", key: "k", data });
      await until("the messages", () => got.includes(1));
      const delayed = delayPosition(topic, () => gate.resolve());
      await other.start({ log }); // the group rebalances
      await untilRunning(other);
      await one.messaging.send(topic, { type: "t", key: "k", data: 3 });
      await until("a new message", () => got.includes(3));
      await Promise.all([one.stop(), other.stop()]);
      expect(delayed()).toBe(1);
      // kafkajs also logs other warnings, such as when both processes create the topic.
      expect([got, warnings.filter((message) => message.includes("were reset"))]).toEqual([[0, 1, 2, 3], []]);
    },
    LIMIT_MS,
  );

  test(
    "the inbox distinguishes raw messages of a recreated topic from messages of the old one",
    async () => {
      const topic = newTopic();
      const bare = bareClient(brokers);
      const [admin, producer] = [bare.admin(), bare.producer()];
      await Promise.all([admin.connect(), producer.connect()]);
      const send = (values: readonly number[]) =>
        producer.send({ topic, messages: values.map((value) => ({ key: "k", value: String(value) })) });
      const app = new (App.with(database, durable, messaging))()
        .enableDatabase({ url: "sqlite://:memory:" })
        .enableMessaging({
          broker: kafkaBroker({ brokers, partitions: 1, metadataMs: 2000 }),
          drainMs: 1000,
        });
      const got: unknown[] = [];
      const options = { group: topic, raw: true, dedupe: "inbox" } as const;
      app.messaging.subscribe(topic, options, ({ data }) => void got.push(data));
      await app.start({ log: { info() {}, warn() {}, error() {} } });
      await untilRunning(app);
      await send(old);
      await until("the messages", () => got.length === 10);
      await admin.deleteTopics({ topics: [topic] });
      await until("the new topic", () => createTopic(admin, topic));
      await until("the new messages to be sent", () => isDone(send([10, 11, 12])));
      await until(
        () => `the new messages: ${String(got)}`,
        () => new Set(got).size === 13,
      );
      await app.stop();
      await Promise.all([admin.disconnect(), producer.disconnect()]);
      expect([...new Set(got)]).toEqual([...old, 10, 11, 12]);
    },
    LIMIT_MS,
  );
});
