import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { Kafka, logLevel, Partitioners } from "kafkajs";

/** The request queue of kafkajs, which sets a timer every millisecond even when nothing is pending or its connection has ended. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

/** Sets that timer only for pending requests: a remaining timer would keep the process alive. */
const patchTimer = (): void => {
  const { prototype } = createRequire(import.meta.url)("kafkajs/src/network/requestQueue/index.js") as {
    readonly prototype: RequestQueue;
  };
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.pending.length > 0) schedule.call(this);
  };
};
patchTimer();

/**
 * Creates a topic, sends a message to it, and receives it as a member of a consumer group.
 *
 * All three are necessary, because topics can be created before the group coordinator is ready.
 */
export const checkKafka = async (brokers: string[]): Promise<void> => {
  const kafka = new Kafka({
    brokers,
    logLevel: logLevel.NOTHING,
    connectionTimeout: 1000,
    retry: { retries: 2, initialRetryTime: 50 },
  });
  const topic = `ready-${randomUUID()}`;
  const admin = kafka.admin();
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  const consumer = kafka.consumer({ groupId: topic, sessionTimeout: 10_000 });
  try {
    await admin.connect();
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: false });
    await producer.connect(); // its retries wait for the new topic
    await producer.send({ topic, messages: [{ value: "ready" }] });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await firstMessage(consumer);
    await admin.deleteTopics({ topics: [topic] });
  } finally {
    await Promise.allSettled([consumer.disconnect(), producer.disconnect(), admin.disconnect()]);
  }
};

const firstMessage = async (consumer: ReturnType<Kafka["consumer"]>): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error("no message arrived in 20 s")), 20_000);
  const stopListening = consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error)); // otherwise the error would not be reported
  try {
    await consumer.run({ eachMessage: async () => resolve() });
    await promise;
  } finally {
    clearTimeout(timer);
    stopListening();
  }
};
