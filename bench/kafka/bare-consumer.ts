import { type Spent, startMeter } from "../measure/spent.ts";
import { type BareMessage, loadKafkajs } from "./packages.ts";

/** Reads a topic with hand-written code on kafkajs: several keys of a batch concurrently, the messages of a key in order. */
export const readBare = async (
  broker: string,
  topic: string,
  groupId: string,
  handle: (data: unknown) => Promise<boolean>,
): Promise<Spent> => {
  const { Kafka } = loadKafkajs();
  const kafka = new Kafka({ brokers: [broker], logLevel: 0 });
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 100 });
  const all = Promise.withResolvers<void>();
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  let spent: (() => Spent) | null = null;
  await consumer.run({
    partitionsConsumedConcurrently: 16,
    eachBatch: async ({ batch, resolveOffset }) => {
      spent ??= startMeter();
      await runByKey(batch.messages, async ({ value }) => {
        if (await handle(JSON.parse(value.toString()))) all.resolve();
      });
      resolveOffset(batch.messages.at(-1)?.offset ?? "0");
    },
  });
  await all.promise;
  const result = (spent ?? startMeter())();
  await consumer.disconnect();
  return result;
};

/** Concurrent handlers per partition; 16 for 4 partitions. */
const HANDLERS = 4;

/** Runs the messages of a key sequentially, and several keys concurrently. */
const runByKey = async (
  messages: readonly BareMessage[],
  run: (message: BareMessage) => Promise<void>,
): Promise<void> => {
  const lanes = Map.groupBy(messages, ({ key }) => key?.toString() ?? "").values();
  const work = async (): Promise<void> => {
    for (const lane of lanes) for (const message of lane) await run(message);
  };
  await Promise.all(Array.from({ length: HANDLERS }, work));
};
