// Long, because each test covers one behaviour of kafkajs or Kafka on a real server.
import { randomUUID } from "node:crypto";
import { App, type Logger } from "@framework/core";
import { systemClock } from "@framework/core/feature";
import { type Message, messaging, type MessagingMethods } from "@framework/messaging";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { compressionTypes, register } from "./client/codecs.ts";
import { kafkajs } from "./client/kafkajs.ts";
import { storedSnappyCodec, storedLz4Codec } from "./codecs.test-kit.ts";
import { until, untilRunning } from "./faults.test-kit.ts";
import { type KafkaConfig, kafkaBroker } from "./index.ts";

const failingCodec = {
  compress: (bytes: Uint8Array): Uint8Array => bytes,
  decompress(): never {
    throw new Error("broken");
  },
};

const newTopic = (): string => `t${randomUUID().slice(0, 8)}`;
const LIMIT_MS = 180_000;

withServer("kafka", (brokers) => {
  const { CompressionCodecs, Kafka, logLevel, Partitioners } = kafkajs();
  /** A client without the framework. */
  const bare = new Kafka({ brokers: brokers.split(","), logLevel: logLevel.NOTHING });
  const lines: string[] = [];
  const log: Logger = {
    info() {},
    warn() {},
    error: (message) => void lines.push(message),
  };

  const appOn = (config: Partial<KafkaConfig> = {}, topics: readonly string[] = []): App & MessagingMethods =>
    new (App.with(messaging))().enableMessaging({
      broker: kafkaBroker({ brokers, partitions: 2, sessionTimeoutMs: 6000, ...config }),
      topics,
      drainMs: 1000,
    });

  const sendBare = async (topic: string, values: readonly string[], compression = 0): Promise<void> => {
    const producer = bare.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    const messages = values.map((value) => ({ key: "k", value, headers: { "Message-Id": randomUUID() } }));
    await producer.send({ topic, messages, compression });
    await producer.disconnect();
  };

  /** Creates a topic with one partition. Waits, because a busy server lists it only some time after it has confirmed the creation. */
  const createTopic = async (topic: string): Promise<void> => {
    const admin = bare.admin();
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: false });
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

  const start = async (app: App & MessagingMethods): Promise<typeof app> => {
    await app.start({ log });
    await untilRunning(app);
    return app;
  };

  test.concurrent(
    "an event is stored in the binary mode of CloudEvents, in the partition that other clients choose for its key",
    async () => {
      const topic = newTopic();
      const app = await start(appOn({}, [topic]));
      await until(
        "the topic",
        async () => !(await sendFails(app, topic, { id: "1", type: "a.b", key: "k7", data: { n: 1 } })),
      );
      const consumer = bare.consumer({ groupId: topic });
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: true });
      const found: { partition: number; headers: Record<string, string>; value: string }[] = [];
      await consumer.run({
        eachMessage: async ({ partition, message }) => {
          const headers = Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]);
          found.push({ partition, headers: Object.fromEntries(headers), value: String(message.value) });
        },
      });
      await until("the message", () => found.length === 1);
      await consumer.disconnect();
      await app.stop();
      const choose = Partitioners.DefaultPartitioner();
      const partitionMetadata = [0, 1].map((partitionId) => ({ partitionId, leader: 1 }) as never);
      expect(found[0]).toMatchObject({
        partition: choose({ topic, partitionMetadata, message: { key: "k7", value: "" } }),
        headers: { ce_specversion: "1.0", ce_id: "1", ce_type: "a.b", "content-type": "application/json" },
        value: '{"n":1}',
      });
    },
    LIMIT_MS,
  );

  test.concurrent(
    "the broker reads gzip, zstd and snappy of other clients, and writes them",
    async () => {
      for (const compression of ["gzip", "zstd", "snappy"] as const) {
        const topic = newTopic();
        const got: unknown[] = [];
        const app = appOn({ compression, codecs: { snappy: storedSnappyCodec } }, [topic]);
        app.messaging.subscribe(topic, { group: topic, raw: true }, ({ data }) => void got.push(data));
        await start(app);
        await sendBare(topic, ["1", "2"], compressionTypes[compression]);
        await app.messaging.send(topic, { type: "own", data: "a text that is repeated ".repeat(100) });
        await until("all messages", () => got.length === 3);
        await app.stop();
        expect(got).toHaveLength(3);
        expect(new Set(got)).toEqual(new Set([1, 2, "a text that is repeated ".repeat(100)]));
      }
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a partition whose messages cannot be decompressed is paused with a clear error, and other topics continue",
    async () => {
      const [topic, other] = [newTopic(), newTopic()];
      const got: unknown[] = [];
      await createTopic(topic);
      await createTopic(other);
      await sendBare(topic, ['"before"']);
      register({ CompressionCodecs }, "lz4", storedLz4Codec); // no other test uses it
      await sendBare(topic, ['"unreadable"'], compressionTypes.lz4);
      register({ CompressionCodecs }, "lz4", null);
      await sendBare(topic, ['"after"']); // in the same fetch
      try {
        const single = appOn();
        single.messaging
          .subscribe(topic, { group: topic, raw: true }, ({ data }) => void got.push(data))
          .subscribe(other, { group: topic, raw: true }, ({ data }) => void got.push(data));
        await single.start({ log });
        await until("the error", () => lines.some((line) => line.includes("compressed with lz4")));
        await sendBare(other, ['"other"']);
        await until("the other topic", () => got.includes("other"));
        const status = single.messaging.status().find((each) => each.topic === topic);
        expect(status).toMatchObject({ state: "connecting" });
        expect(status?.reason).toContain(
          `the partition ${topic}-0 has messages that are compressed with lz4`,
        );
        await single.stop();
        register({ CompressionCodecs }, "lz4", failingCodec);
        const failing = appOn();
        failing.messaging.subscribe(topic, { group: topic, raw: true }, ({ data }) => void got.push(data));
        await failing.start({ log });
        const reason = (): string => failing.messaging.status()[0]?.reason ?? "";
        await until("the failure of the codec", () => reason().includes("lz4, and its codec failed: broken"));
        await failing.stop();
      } finally {
        register({ CompressionCodecs }, "lz4", storedLz4Codec);
      }
      expect(got).toEqual(["before", "other"]);
      const again = appOn();
      again.messaging.subscribe(topic, { group: topic, raw: true }, ({ data }) => void got.push(data));
      await start(again);
      await until("the messages, with the codec", () => got.includes("after"));
      await again.stop();
      expect(got).toEqual(["before", "other", "unreadable", "after"]);
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a partition with a batch that decompresses to more than 64 MiB is paused with a clear error, and other topics continue",
    async () => {
      const [topic, other] = [newTopic(), newTopic()];
      const got: unknown[] = [];
      await createTopic(topic);
      await createTopic(other);
      const zeros = JSON.stringify("0".repeat(1_048_576));
      await sendBare(topic, Array<string>(70).fill(zeros), compressionTypes.gzip);
      const app = appOn();
      for (const each of [topic, other])
        app.messaging.subscribe(each, { group: topic, raw: true }, ({ data }) => void got.push(data));
      await app.start({ log });
      const reason = (): string => app.messaging.status().find((each) => each.topic === topic)?.reason ?? "";
      await until("the reason", () =>
        reason().includes("gzip, and its codec failed: Cannot create a Buffer"),
      );
      await sendBare(other, ['"other"']);
      await until("the other topic", () => got.includes("other"));
      await app.stop();
      expect(got).toEqual(["other"]);
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a pattern subscription includes topics that are created later",
    async () => {
      const prefix = newTopic();
      const got: string[] = [];
      const app = appOn({ metadataMs: 300 }, [`${prefix}-a`]);
      app.messaging.subscribe(
        new RegExp(`^${prefix}-[ab]$`),
        { group: prefix, raw: true },
        ({ meta }) => void got.push(meta.topic),
      );
      await start(app);
      await sendBare(`${prefix}-a`, ["1"]);
      await until("the first topic", () => got.length === 1);
      await createTopic(`${prefix}-b`);
      await sendBare(`${prefix}-b`, ["1"]);
      await until("the later topic", () => got.includes(`${prefix}-b`));
      await app.stop();
      expect(new Set(got)).toEqual(new Set([`${prefix}-a`, `${prefix}-b`]));
    },
    LIMIT_MS,
  );

  test.concurrent(
    "subscriptions of one group to different topics each receive all messages of their topic",
    async () => {
      const topics = [newTopic(), newTopic()] as const;
      const got = new Set<string>();
      const app = appOn();
      for (const topic of topics)
        app.messaging.subscribe(
          topic,
          { group: topics[0], raw: true },
          ({ data, meta }) => void got.add(`${meta.topic} ${String(data)}`),
        );
      await start(app);
      const values = Array.from({ length: 10 }, (_, n) => String(n));
      for (const topic of topics) await Promise.all(values.map((value) => sendBare(topic, [value])));
      await until("all messages", () => got.size === 20);
      await app.stop();
      expect(topics.map((topic) => [...got].filter((each) => each.startsWith(topic)).length)).toEqual([
        10, 10,
      ]);
    },
    LIMIT_MS,
  );

  test.concurrent(
    'a group with from: "latest" misses no later message, even if its process ends before the first commit',
    async () => {
      const topic = newTopic();
      const got: unknown[] = [];
      const subscribe = (app: App & MessagingMethods): typeof app => {
        const options = { group: topic, raw: true, from: "latest" } as const;
        app.messaging.subscribe(topic, options, ({ data }) => void got.push(data));
        return app;
      };
      await createTopic(topic);
      await sendBare(topic, ['"old"']);
      await (await start(subscribe(appOn()))).stop();
      await sendBare(topic, ['"meanwhile"']);
      const app = await start(subscribe(appOn()));
      await until("the message", () => got.length > 0);
      await app.stop();
      expect(got).toEqual(["meanwhile"]);
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a handler that runs longer than the session keeps its partition",
    async () => {
      const topic = newTopic();
      const got: Message[] = [];
      const end = Promise.withResolvers<void>();
      const app = appOn();
      app.messaging.subscribe(topic, { group: topic, raw: true, timeoutMs: 60_000 }, async (message) => {
        got.push(message);
        await end.promise;
      });
      await start(app);
      await sendBare(topic, ["1"]);
      await until("the handler", () => got.length === 1);
      const from = performance.now();
      await until("more than a session", () => performance.now() - from > 7500);
      end.resolve();
      await until("the message to be done", () => app.messaging.status()[0]?.done === 1);
      expect([got.length, got[0]?.signal.aborted, app.messaging.status()[0]?.lost]).toEqual([1, false, 0]);
      await app.stop();
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a partition whose handler ignores its signal after its time limit is released",
    async () => {
      const topic = newTopic();
      await createTopic(topic);
      const broker = kafkaBroker({ brokers, sessionTimeoutMs: 6000 }).open({
        name: "test",
        instance: topic,
        clock: systemClock,
        random: Math.random,
        log,
      });
      const seen: string[] = [];
      let isAlive = true;
      const consumer = broker.consumer({
        topics: [topic],
        pattern: null,
        group: topic,
        order: "key",
        prefetch: 10,
        from: "earliest",
        isPrivate: false,
        timeoutMs: 100,
        sink: {
          room: () => 10,
          whenRoom: async () => {},
          deliver: (deliveries) => void seen.push(...deliveries.map(({ offset }) => `got ${offset}`)),
          lost() {},
          revoked: (partitions) => void seen.push(`revoked ${partitions.join()}`),
          isAlive: () => isAlive,
          isPartitionAlive: () => isAlive,
          suspend() {},
          proceed() {},
          state() {},
        },
      });
      await sendBare(topic, ["1"]);
      consumer.start();
      await until("the message", () => seen.includes("got 0"));
      seen.length = 0; // on a busy machine the group may have been joined twice
      isAlive = false;
      await until("the partition to be released", () => seen.length > 0);
      isAlive = true;
      await until("the message again", () => seen.length > 1);
      await consumer.close();
      await broker.close();
      expect(seen.slice(0, 2)).toEqual([`revoked ${topic}-0`, "got 0"]);
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a message to a topic that does not exist fails, and does not create the topic",
    async () => {
      const [topic, known] = [newTopic(), newTopic()];
      const app = new (App.with(messaging))().enableMessaging({
        broker: kafkaBroker({ brokers }),
        topics: [known],
        sendTimeoutMs: 1000,
      });
      await app.start({ log });
      await expect(app.messaging.send(topic, { type: "any", data: 1 })).rejects.toMatchObject({
        status: 503,
      });
      await until("the known topic", async () => !(await sendFails(app, known, { type: "any", data: 1 })));
      const admin = bare.admin();
      expect(await admin.listTopics()).not.toContain(topic);
      await admin.disconnect();
      await app.stop();
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a topic with more replicas than servers is not created, and the reason is reported",
    async () => {
      const topic = newTopic();
      const app = appOn({ replicas: 2 });
      app.messaging.subscribe(topic, { group: topic }, () => {});
      await app.start({ log });
      const reason = (): string => app.messaging.status()[0]?.reason ?? "";
      await until("the reason", () => reason().includes("eplication"));
      expect(reason()).toContain("could not be created: Replication-factor is invalid");
      await app.stop();
    },
    LIMIT_MS,
  );

  test.concurrent(
    'with topology: "verify", missing topics are reported',
    async () => {
      const topic = newTopic();
      const adapter = kafkaBroker({ brokers });
      const app = new (App.with(messaging))().enableMessaging({ broker: adapter, topology: "verify" });
      app.messaging.subscribe(topic, { group: topic }, () => {});
      await app.start({ log });
      const reason = (): string => app.messaging.status()[0]?.reason ?? "";
      await until("the reason", () => reason().includes(`the topic "${topic}" does not exist; create it`));
      expect(reason()).toContain(`the topic "${topic}.${topic}.dlq" does not exist`);
      await app.stop();
    },
    LIMIT_MS,
  );
});

const sendFails = (
  app: App & MessagingMethods,
  topic: string,
  message: Parameters<MessagingMethods["messaging"]["send"]>[1],
): Promise<boolean> =>
  app.messaging.send(topic, message).then(
    () => false,
    () => true,
  );
