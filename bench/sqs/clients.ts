import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "@framework/core/feature";
import { type Spent, startMeter } from "../measure/spent.ts";
import { loadSdk, sqsBroker } from "./packages.ts";

/** Sends and consumes messages, and measures the time. */
export interface BrokerClient {
  /** Measures until all are confirmed. */
  send(count: number): Promise<Spent>;
  /** Measures until all are delivered and deleted. */
  consume(count: number): Promise<Spent>;
  close(): Promise<void>;
}

const body = JSON.stringify({ order: 12_345, customer: "customer", items: ["first", "second", "third"] });

/** Unsettled deliveries, messages per send, and concurrent requests. */
const PREFETCH = 100;
const BATCH = 1000;
const SENDING = 8;
const RECEIVING = 4;

/** Time until the emulator notices an aborted receive request, which would otherwise take the messages sent next. */
const ABORT_NOTICE_MS = 500;

const credentials = { accessKeyId: "test", secretAccessKey: "test" };
const quiet = { info() {}, warn() {}, error() {} };

/** Opens the adapter on a topic that it creates; every message has a different key. */
export const openAdapter = async (endpointUrl: string, topic: string): Promise<BrokerClient> => {
  const context = { name: "bench", instance: "1", clock: systemClock, random: Math.random, log: quiet };
  const broker = sqsBroker({ endpointUrl, credentials }).open(context);
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
      const spent = startMeter();
      for (let left = count; left > 0; left -= BATCH) {
        const messages = Array.from({ length: Math.min(BATCH, left) }, message);
        const results = await broker.producer.send(messages, { signal: AbortSignal.timeout(60_000) });
        if (!results.every(({ ok }) => ok)) throw new Error("a message was not confirmed");
      }
      return spent();
    },
    async consume(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      let received = 0;
      let unsettled = 0;
      let room = Promise.withResolvers<void>();
      const spent = startMeter();
      const consumer = broker.consumer({
        ...group,
        pattern: null,
        prefetch: PREFETCH,
        isPrivate: false,
        deadLetterTopic: undefined,
        timeoutMs: 30_000,
        sink: {
          room: () => PREFETCH - unsettled,
          whenRoom: async () => {
            if (unsettled >= PREFETCH) await room.promise;
          },
          lost() {},
          revoked() {},
          suspend() {},
          proceed() {},
          isAlive: () => true,
          isPartitionAlive: () => true,
          state() {},
          deliver(deliveries) {
            unsettled += deliveries.length;
            const settled = consumer.settle(deliveries.map((delivery) => ({ delivery, action: "done" })));
            void settled.then(() => {
              unsettled -= deliveries.length;
              received += deliveries.length;
              room.resolve();
              room = Promise.withResolvers<void>();
              if (received === count) resolve();
            });
          },
        },
      });
      consumer.start();
      await promise;
      const result = spent();
      await consumer.close();
      await sleep(ABORT_NOTICE_MS);
      return result;
    },
    close: () => broker.close(),
  };
};

/** Opens hand-written code on the SDK on the same queue: batches of ten, the same concurrency, one deletion per received batch. */
export const openBareClient = async (endpoint: string, topic: string): Promise<BrokerClient> => {
  const { SQSClient, SendMessageBatchCommand, ReceiveMessageCommand, DeleteMessageBatchCommand } = loadSdk();
  const client = new SQSClient({ endpoint, credentials, region: "us-east-1" });
  const QueueUrl = `${endpoint}/000000000000/${topic}__group`;
  let sent = 0;
  const entry = (_: unknown, at: number): object => {
    const id = `message-${++sent}`;
    const StringValue = JSON.stringify({ headers: { "content-type": "application/json" }, key: id });
    return {
      Id: String(at),
      MessageBody: body,
      MessageGroupId: id,
      MessageAttributes: { framework: { DataType: "String", StringValue } },
    };
  };
  return {
    async send(count) {
      const spent = startMeter();
      let left = count;
      const worker = async (): Promise<void> => {
        while (left > 0) {
          const Entries = Array.from({ length: Math.min(10, left) }, entry);
          left -= Entries.length;
          const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
          if (Failed.length > 0) throw new Error("a message was not confirmed");
        }
      };
      await Promise.all(Array.from({ length: SENDING }, worker));
      return spent();
    },
    async consume(count) {
      const spent = startMeter();
      let received = 0;
      const worker = async (): Promise<void> => {
        while (received < count) {
          const { Messages = [] } = await client.send(
            new ReceiveMessageCommand({
              QueueUrl,
              MaxNumberOfMessages: 10,
              WaitTimeSeconds: 1,
              VisibilityTimeout: 30,
              MessageAttributeNames: ["All"],
              MessageSystemAttributeNames: ["ApproximateReceiveCount", "SentTimestamp", "MessageGroupId"],
            }),
          );
          if (Messages.length === 0) continue;
          const Entries = Messages.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
          await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
          received += Messages.length;
          if (received >= count) time = spent();
        }
      };
      let time = spent();
      await Promise.all(Array.from({ length: RECEIVING }, worker));
      return time;
    },
    async close() {
      client.destroy();
    },
  };
};
