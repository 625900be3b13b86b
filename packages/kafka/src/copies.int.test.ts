import { createRequire } from "node:module";
import { App } from "@framework/core";
import { type Message, messaging } from "@framework/messaging";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import type { IHeaders } from "kafkajs";
import { kafkajs } from "./client/kafkajs.ts";
import { LIMIT_MS, newTopic, until, untilRunning } from "./faults.test-kit.ts";
import { kafkaBroker } from "./index.ts";

const quiet = { info() {}, warn() {}, error() {} };
const key = Buffer.from([0, 0, 0, 0, 0, 0, 0, 200]); // a Java Long
const bytes = Buffer.from([0xde, 0xad, 0xbe, 0xef]);

/** While `work` runs, kafkajs writes empty headers as `null`, as Java clients may. Both encodings have the same length. */
const withNulls = async (work: () => Promise<unknown>): Promise<void> => {
  const { prototype } = createRequire(import.meta.url)("kafkajs/src/protocol/encoder.js") as {
    prototype: { writeVarIntBytes(value: unknown): unknown };
  };
  const { writeVarIntBytes } = prototype;
  prototype.writeVarIntBytes = function (value) {
    return writeVarIntBytes.call(this, value === "" ? null : value);
  };
  await work().finally(() => (prototype.writeVarIntBytes = writeVarIntBytes));
};

withServer("kafka", (brokers) => {
  const { Kafka, logLevel } = kafkajs();
  /** A client without the framework. */
  const bare = new Kafka({ brokers: brokers.split(","), logLevel: logLevel.NOTHING });

  /** Reads the first message of a topic. */
  const firstOf = async (topic: string): Promise<{ key: unknown; headers: object }> => {
    const consumer = bare.consumer({ groupId: newTopic() });
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    const { promise, resolve } = Promise.withResolvers<{ key: unknown; headers: object }>();
    await consumer.run({
      eachMessage: async ({ message }) => resolve({ key: message.key, headers: message.headers ?? {} }),
    });
    const first = await promise;
    await consumer.disconnect();
    return first;
  };

  const original: IHeaders = { bin: bytes, multi: ["a", "b"], Upper: "Ü" };

  const sendBare = async (topic: string, keys: readonly Buffer[], headers = original): Promise<void> => {
    const producer = bare.producer();
    await producer.connect();
    await producer.send({ topic, messages: keys.map((each) => ({ key: each, value: "1", headers })) });
    await producer.disconnect();
  };

  test(
    "delayed tries and dead letters keep every byte of key and headers",
    async () => {
      const topic = newTopic();
      const app = new (App.with(messaging))().enableMessaging({
        broker: kafkaBroker({ brokers, partitions: 1 }),
      });
      const seen: unknown[] = [];
      const handle = (message: Message): never => {
        seen.push([message.key, message.headers["bin"], message.headers["multi"], message.headers["upper"]]);
        throw new Error("broken");
      };
      const retry = { quickTries: 1, delaysMs: [10], jitter: 0 };
      app.messaging.subscribe(topic, { group: "g", raw: true, retry }, handle);
      await app.start({ log: quiet });
      await untilRunning(app);
      await sendBare(topic, [key]);
      await until("the dead letter", () => app.messaging.status()[0]?.deadLettered === 1);
      const [delayed, dead] = await Promise.all([firstOf(`${topic}.g.retry.0`), firstOf(`${topic}.g.dlq`)]);
      await app.stop();
      const headers = { bin: bytes, multi: [Buffer.from("a"), Buffer.from("b")], Upper: Buffer.from("Ü") };
      expect(delayed).toEqual({ key, headers: expect.objectContaining(headers) });
      expect(dead).toEqual({ key, headers: expect.objectContaining(headers) });
      const latin1 = [key.toString("latin1"), bytes.toString("latin1"), "b", "Ü"];
      expect(seen).toEqual([latin1, latin1]);
    },
    LIMIT_MS,
  );

  test(
    "delayed tries and dead letters omit a header without a value",
    async () => {
      const topic = newTopic();
      const app = new (App.with(messaging))().enableMessaging({
        broker: kafkaBroker({ brokers, partitions: 1 }),
      });
      const seen: unknown[] = [];
      const retry = { quickTries: 1, delaysMs: [10], jitter: 0 };
      app.messaging.subscribe(topic, { group: "g", raw: true, retry }, ({ headers }) => {
        seen.push({ ...headers });
        throw new Error("broken");
      });
      await app.start({ log: quiet });
      await untilRunning(app);
      await withNulls(() =>
        sendBare(topic, [key], { Upper: "Ü", none: "", some: ["a", ""], nothing: ["", ""] }),
      );
      await until("the dead letter", () => app.messaging.status()[0]?.deadLettered === 1);
      const [delayed, dead] = await Promise.all([firstOf(`${topic}.g.retry.0`), firstOf(`${topic}.g.dlq`)]);
      await app.stop();
      for (const { headers } of [delayed, dead]) {
        expect(headers).toMatchObject({ Upper: Buffer.from("Ü") });
        expect(new Map(Object.entries(headers)).get("some")).toEqual(Buffer.from("a"));
        expect(Object.keys(headers).filter((name) => name.startsWith("no"))).toEqual([]);
      }
      expect(seen).toEqual([
        { upper: "Ü", some: "a" },
        { upper: "Ü", some: "a" },
      ]);
    },
    LIMIT_MS,
  );
});
