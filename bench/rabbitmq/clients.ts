import { systemClock } from "@framework/core/feature";
import { loadAmqplib, rabbitmqBroker } from "./packages.ts";

/** Sends and consumes numbered messages, and measures the time. */
export interface BrokerClient {
  /** Returns the milliseconds until all are confirmed. */
  send(count: number): Promise<number>;
  /** Returns the milliseconds until all are delivered and acknowledged. */
  consume(count: number): Promise<number>;
  close(): Promise<void>;
}

const body = JSON.stringify({ order: 12_345, customer: "customer", items: ["first", "second", "third"] });

/** Unsettled deliveries, and messages of one send. */
const PREFETCH = 100;
const BATCH = 1000;

const quiet = { info() {}, warn() {}, error() {} };

/** Opens the adapter on a topic that it creates; every message has a different key. */
export const openAdapter = async (url: string, topic: string): Promise<BrokerClient> => {
  const context = { name: "bench", instance: "1", clock: systemClock, random: Math.random, log: quiet };
  const broker = rabbitmqBroker({ url, prefetchCount: PREFETCH }).open(context);
  const group = {
    topics: [topic],
    group: "group",
    order: "none",
    from: "earliest",
    deadLetterTopic: null,
  } as const;
  await broker.topology(
    { topics: [topic], subscriptions: [{ ...group, retryTopics: [], maxTries: 7 }] },
    "create",
  );
  const headers = { "content-type": "application/json" };
  let sent = 0;
  const message = (): Parameters<typeof broker.producer.send>[0][number] => {
    const id = `message-${++sent}`;
    return { topic, id, key: id, headers, body, delayMs: 0 };
  };
  return {
    async send(count) {
      const start = performance.now();
      for (let left = count; left > 0; left -= BATCH) {
        const messages = Array.from({ length: Math.min(BATCH, left) }, message);
        const results = await broker.producer.send(messages, { signal: AbortSignal.timeout(60_000) });
        if (!results.every(({ ok }) => ok)) throw new Error("a message was not confirmed");
      }
      return performance.now() - start;
    },
    async consume(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      let received = 0;
      const start = performance.now();
      const consumer = broker.consumer({
        ...group,
        pattern: null,
        prefetch: PREFETCH,
        isPrivate: false,
        deadLetterTopic: undefined,
        timeoutMs: 30_000,
        sink: {
          room: () => PREFETCH,
          whenRoom: async () => {},
          lost() {},
          revoked() {},
          suspend() {},
          proceed() {},
          isAlive: () => true,
          isPartitionAlive: () => true,
          state() {},
          deliver(deliveries) {
            received += deliveries.length;
            void consumer.settle(deliveries.map((delivery) => ({ delivery, action: "done" })));
            if (received === count) resolve();
          },
        },
      });
      consumer.start();
      await promise;
      await consumer.close();
      return performance.now() - start;
    },
    close: () => broker.close(),
  };
};

/** Opens hand-written code on `amqplib` on the same topic: mandatory, persistent, one callback per confirmation, one acknowledgement per delivery. */
export const openBareClient = async (url: string, topic: string): Promise<BrokerClient> => {
  const amqplib = loadAmqplib();
  const [sending, consuming] = [
    await amqplib.connect(url, { noDelay: true }),
    await amqplib.connect(url, { noDelay: true }),
  ];
  const channel = await sending.createConfirmChannel();
  let sent = 0;
  const publish = async (): Promise<Promise<void>> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const id = `message-${++sent}`;
    const options = {
      persistent: true,
      mandatory: true,
      messageId: id,
      contentType: "application/json",
      timestamp: Math.trunc(Date.now() / 1000),
      headers: { key: id },
    };
    const hasRoom = channel.publish(topic, "", Buffer.from(body), options, (error) =>
      error === null ? resolve() : reject(error as Error),
    );
    if (!hasRoom) await new Promise<void>((room) => channel.once("drain", () => room()));
    return promise;
  };
  return {
    async send(count) {
      const start = performance.now();
      for (let left = count; left > 0; left -= BATCH) {
        const confirmations: Promise<void>[] = [];
        for (let n = 0; n < Math.min(BATCH, left); n++) {
          const { promise, resolve, reject } = Promise.withResolvers<void>();
          confirmations.push(promise);
          publish().then(resolve, reject);
        }
        await Promise.all(confirmations);
      }
      return performance.now() - start;
    },
    async consume(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      let received = 0;
      const start = performance.now();
      const consumeChannel = await consuming.createConfirmChannel();
      await consumeChannel.prefetch(PREFETCH);
      await consumeChannel.consume(`${topic}.group`, (message) => {
        if (message === null) return;
        consumeChannel.ack(message);
        if (++received === count) resolve();
      });
      await promise;
      await consumeChannel.close();
      return performance.now() - start;
    },
    async close() {
      await sending.close();
      await consuming.close();
    },
  };
};
