import { App } from "@framework/core";
import { messaging } from "@framework/messaging";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { kafkajs } from "./client/kafkajs.ts";
import { LIMIT_MS, newTopic, until, untilRunning } from "./faults.test-kit.ts";
import { kafkaBroker } from "./index.ts";

const quiet = { info() {}, warn() {}, error() {} };

withServer("kafka", (brokers) => {
  const { Kafka, logLevel, Partitioners } = kafkajs();
  /** A client without the framework. */
  const bare = new Kafka({ brokers: brokers.split(","), logLevel: logLevel.NOTHING });

  const createTopic = async (topic: string, maxBytes: number | null): Promise<void> => {
    const admin = bare.admin();
    const configEntries = maxBytes === null ? [] : [{ name: "max.message.bytes", value: String(maxBytes) }];
    await admin.createTopics({ topics: [{ topic, numPartitions: 1, configEntries }], waitForLeaders: false });
    const leader = async (): Promise<number | undefined> => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
      return topics[0]?.partitions[0]?.leader;
    };
    await until("the topic's leader", () =>
      leader().then(
        (id) => id !== undefined && id >= 0,
        () => false,
      ),
    );
    await admin.disconnect();
  };

  /** Lets a group reject a message and a following one. Returns the dead letter of the first, once both are committed. */
  const deadLetterOf = async (topic: string, value: string): Promise<{ bytes: number; leftOut: string }> => {
    const app = new (App.with(messaging))().enableMessaging({
      broker: kafkaBroker({ brokers, partitions: 1 }),
      drainMs: 1000,
    });
    app.messaging.subscribe(topic, { group: "g", raw: true }, (_message, context) => context.reject("no"));
    await app.start({ log: quiet });
    await untilRunning(app);
    const producer = bare.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    for (const each of [value, "1"]) await producer.send({ topic, messages: [{ key: "k", value: each }] });
    await producer.disconnect();
    const admin = bare.admin();
    await until("both to be committed", async () => {
      const [offsets] = await admin.fetchOffsets({ groupId: "g", topics: [topic] });
      return offsets?.partitions[0]?.offset === "2";
    });
    await admin.disconnect();
    await app.stop();
    const consumer = bare.consumer({ groupId: newTopic() });
    await consumer.connect();
    await consumer.subscribe({ topics: [`${topic}.g.dlq`], fromBeginning: true });
    const { promise, resolve } = Promise.withResolvers<{ bytes: number; leftOut: string }>();
    await consumer.run({
      eachMessage: async ({ message }) => {
        const leftOut = String(message.headers?.["framework-dead-left-out"] ?? "nothing");
        if (message.value?.toString() !== "1") resolve({ bytes: message.value?.byteLength ?? 0, leftOut });
      },
    });
    const deadLetter = await promise;
    await consumer.disconnect();
    return deadLetter;
  };

  test.concurrent.each([
    ["the default limit of its topic", null, 1_048_440],
    ["a higher limit of its topic", 5_000_000, 4_999_800],
  ])(
    "the dead letter of a message with the size of %s is stored whole",
    async (_case, limit, bytes) => {
      const topic = newTopic();
      await createTopic(topic, limit);
      expect(await deadLetterOf(topic, "x".repeat(bytes))).toEqual({ bytes, leftOut: "nothing" });
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a dead letter that exceeds the limit of its topic is stored with a truncated body",
    async () => {
      const topic = newTopic();
      await createTopic(topic, null);
      await createTopic(`${topic}.g.dlq`, 10_000);
      const leftOut = "headers, body after 4096 bytes";
      expect(await deadLetterOf(topic, "x".repeat(100_000))).toEqual({ bytes: 4096, leftOut });
    },
    LIMIT_MS,
  );
});
