// Above 250 lines: each test is one way in which offsets of a topic come again, on one server.
import { createRequire } from "node:module";
import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { messaging } from "@framework/messaging";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import type { Admin } from "kafkajs";
import { kafkajs } from "./client/kafkajs.ts";
import { LIMIT_MS, newTopic, until, untilRunning } from "./faults.test-kit.ts";
import { kafkaBroker } from "./index.ts";

const driver = createRequire(import.meta.url);

/** Has the driver reset the positions of a group once, as it does when its server answers that an offset is out of range. */
const resetOnce = (group: string): void => {
  const { prototype } = driver("kafkajs/src/consumer/consumerGroup.js") as { prototype: DriverGroup };
  const { fetch } = prototype;
  let isReset = false;
  prototype.fetch = async function (nodeId) {
    if (this.groupId === group && !isReset) {
      isReset = true;
      await this.recoverFromOffsetOutOfRange({ topic: group, partition: 0 });
    }
    return await fetch.call(this, nodeId);
  };
};

interface DriverGroup {
  readonly groupId: string;
  fetch(this: DriverGroup, nodeId: unknown): Promise<unknown>;
  recoverFromOffsetOutOfRange(place: { readonly topic: string; readonly partition: number }): Promise<void>;
}

/** Once a group has shared its partitions anew, calls `meanwhile` and keeps the first position that a member asks for until a commit was taken. */
const keepPosition = (group: string, meanwhile: () => void): (() => number) => {
  const { prototype } = driver("kafkajs/src/broker/index.js") as { prototype: DriverBroker };
  const { syncGroup, offsetFetch, offsetCommit } = prototype;
  const committed = Promise.withResolvers<void>();
  let [isShared, kept] = [false, 0];
  prototype.syncGroup = async function (request) {
    const answer = await syncGroup.call(this, request);
    isShared ||= request.groupId === group;
    return answer;
  };
  prototype.offsetFetch = async function (request) {
    const answer = await offsetFetch.call(this, request);
    if (request.groupId !== group || !isShared || kept > 0) return answer;
    kept++;
    meanwhile();
    await committed.promise;
    return answer;
  };
  prototype.offsetCommit = async function (request) {
    const answer = await offsetCommit.call(this, request);
    if (request.groupId === group && kept > 0) committed.resolve();
    return answer;
  };
  return () => kept;
};

/** Whether a group of the topic's name has committed all messages. The ends are asked for: a send that the driver repeats may be stored twice. */
const isCommitted = async (admin: Admin, topic: string): Promise<boolean> => {
  // A broker that just made the topic anew answers for a moment that it does not host it.
  const ends = await admin.fetchTopicOffsets(topic).catch(() => []);
  const [found] = await admin.fetchOffsets({ groupId: topic, topics: [topic] }).catch(() => []);
  const committed = new Map(found?.partitions.map(({ partition, offset }) => [partition, offset]));
  const written = ends.filter(({ high }) => high !== "0");
  return written.length > 0 && written.every((end) => committed.get(end.partition) === end.high);
};

/** Creates a topic; the consumer, which looks for it, may have done so before. */
const isThere = (admin: Admin, topic: string): Promise<boolean> =>
  isDone(admin.createTopics({ topics: [{ topic, numPartitions: 1 }] }));

const isDone = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

const isTrueWithin = (mostMs: number, holds: () => Promise<boolean>): Promise<boolean> =>
  isDone(until("it", holds, mostMs));

interface OfGroup {
  readonly groupId: string;
}

interface DriverBroker {
  syncGroup(this: DriverBroker, request: OfGroup): Promise<unknown>;
  offsetFetch(this: DriverBroker, request: OfGroup): Promise<unknown>;
  offsetCommit(this: DriverBroker, request: OfGroup): Promise<unknown>;
}

withServer("kafka", (brokers) => {
  test(
    "messages of a topic that was deleted and created again are handled from its first offset on",
    async () => {
      const { Kafka, logLevel } = kafkajs();
      const topic = newTopic();
      const bare = new Kafka({ brokers: brokers.split(","), logLevel: logLevel.NOTHING });
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
      await send([0, 1, 2, 3, 4]);
      await until("the commit", () => isCommitted(admin, topic));
      await admin.deleteTopics({ topics: [topic] });
      await until("the new topic", () => isThere(admin, topic));
      await until("the new messages", () => isDone(send([10, 11, 12])));
      await until(
        () => `the new messages: ${String(got)}`,
        () => got.length >= 8,
      );
      expect([...new Set(got)]).toEqual([0, 1, 2, 3, 4, 10, 11, 12]);
      // The broker forgets the group's offsets of a deleted topic in the background: on a busy machine, also the first ones of the new topic.
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
    "messages of a topic that was created again are handled when nothing was committed, and the group rebalances before",
    async () => {
      const { Kafka, logLevel } = kafkajs();
      const topic = newTopic();
      const bare = new Kafka({ brokers: brokers.split(","), logLevel: logLevel.NOTHING });
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
          await new Promise((resolve) => signal.addEventListener("abort", resolve)); // nothing is committed
          aborted.push(data);
        });
        return app;
      };
      const [one, other] = [appOf(), appOf()];
      const log = { info() {}, warn() {}, error() {} };
      await one.start({ log });
      await untilRunning(one);
      await send([0, 1, 2]);
      await until("the messages", () => got.length === 3);
      await admin.deleteTopics({ topics: [topic] });
      await until("the new topic", () => isThere(admin, topic));
      await other.start({ log }); // the group rebalances
      await untilRunning(other);
      await untilRunning(one);
      await until("the new messages to be sent", () => isDone(send([10, 11, 12])));
      await until(
        () => `the new messages: ${String(got)}`,
        () => got.length >= 6,
      );
      expect([...new Set(got)]).toEqual([0, 1, 2, 10, 11, 12]);
      await Promise.all([one.stop(), other.stop()]);
      await Promise.all([admin.disconnect(), producer.disconnect()]);
      expect(aborted).toEqual([0]);
    },
    LIMIT_MS,
  );

  test(
    "offsets that come again after the driver has reset its position are handled",
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
      const { Kafka, logLevel } = kafkajs();
      const admin = new Kafka({ brokers: brokers.split(","), logLevel: logLevel.NOTHING }).admin();
      await admin.connect();
      await until("the commit", () => isCommitted(admin, topic)); // it would undo a reset that came before it
      await admin.disconnect();
      resetOnce(topic);
      await until("the messages again", () => got.length === 6);
      await app.messaging.send(topic, { type: "t", key: "k", data: 3 });
      await until("a new message", () => got.length === 7);
      expect(got).toEqual([0, 1, 2, 0, 1, 2, 3]);
      expect(warnings.join("\n")).toContain(`the offsets of the partition ${topic}-0 begin anew`);
      await app.stop();
    },
    LIMIT_MS,
  );

  test(
    "a position that the driver asked for before a commit is no new topic: nothing is handled twice",
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
      const kept = keepPosition(topic, () => gate.resolve());
      await other.start({ log }); // the group rebalances
      await untilRunning(other);
      await one.messaging.send(topic, { type: "t", key: "k", data: 3 });
      await until("a new message", () => got.includes(3));
      await Promise.all([one.stop(), other.stop()]);
      expect(kept()).toBe(1);
      expect([got, warnings]).toEqual([[0, 1, 2, 3], []]);
    },
    LIMIT_MS,
  );

  test(
    "the inbox takes no raw message of a topic that was created again for one of the old topic",
    async () => {
      const { Kafka, logLevel } = kafkajs();
      const topic = newTopic();
      const bare = new Kafka({ brokers: brokers.split(","), logLevel: logLevel.NOTHING });
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
      await send([0, 1, 2]);
      await until("the messages", () => got.length === 3);
      await admin.deleteTopics({ topics: [topic] });
      await until("the new topic", () => isThere(admin, topic));
      await until("the new messages to be sent", () => isDone(send([10, 11, 12])));
      await until(
        () => `the new messages: ${String(got)}`,
        () => new Set(got).size === 6,
      );
      await app.stop();
      await Promise.all([admin.disconnect(), producer.disconnect()]);
      expect([...new Set(got)]).toEqual([0, 1, 2, 10, 11, 12]);
    },
    LIMIT_MS,
  );
});
