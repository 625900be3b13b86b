import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { BrokerAdapter, Consumer } from "../port/broker-adapter.ts";
import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { TestApp } from "./harness/test-app.ts";
import { shortPause, until } from "./harness/until.ts";

/** Deliveries and memory that a process with stalled handlers holds. */
export interface StalledHandlerUsage {
  /** Number of running handlers. */
  readonly inFlight: number;
  /** Number of messages received from the broker. */
  readonly received: number;
  /** Lag of the group; whether it includes received messages depends on the broker. */
  readonly waiting: number | null;
  /** Memory growth since its start in MiB, after garbage collection. */
  readonly grownMib: number;
}

/** Messages to send, and limits of the consuming process. */
export interface WaitingPlan {
  /** Number of waiting messages. */
  readonly messages: number;
  /** Size of the data of each message. @default 1000 */
  readonly bytes?: number;
  /** `concurrency` of the subscription. @default 4 */
  readonly concurrency?: number;
  /** `prefetch` of the subscription. @default 10 */
  readonly prefetch?: number;
}

/** Number of messages in one send. */
const MESSAGES_PER_SEND = 1000;
const MIB = 1_048_576;

/** Sends messages, starts a process whose handlers do not end, and returns the deliveries and memory that it holds. */
export const measureStalledHandler = async (
  fixture: BrokerFixture,
  { messages, bytes = 1000, concurrency = 4, prefetch = 10 }: WaitingPlan,
): Promise<StalledHandlerUsage> => {
  const stalled = Promise.withResolvers<void>();
  let latest: Consumer | null = null;
  const adapter = (): BrokerAdapter => watchConsumers(fixture.adapter(), (consumer) => (latest = consumer));
  const newConsumer = (): TestApp => {
    const app = new TestApp({ ...fixture, adapter }, { drainMs: 10 });
    app.messaging.subscribe(app.topic, { group: app.group, concurrency, prefetch }, () => stalled.promise);
    return app;
  };
  await (await newConsumer().start()).stop(); // creates the group: a broker may drop messages without a group
  await sendAll(fixture, messages, "x".repeat(bytes));
  await using consumer = newConsumer();
  const before = await usedBytes();
  await consumer.start();
  const status = (): { readonly inFlight: number; readonly received: number } =>
    consumer.messaging.status()[0] ?? { inFlight: 0, received: 0 };
  await until("the messages that it may hold", () => status().received >= prefetch);
  await shortPause(300); // time for further deliveries, which must not happen
  const { inFlight, received } = status();
  const grownMib = ((await usedBytes()) - before) / MIB;
  const waiting = await lagOf(latest);
  stalled.resolve();
  return { inFlight, received, waiting, grownMib };
};

/** Wraps an adapter to get access to its consumers: an app reads their lag only every 15 s. */
const watchConsumers = (adapter: BrokerAdapter, onConsumer: (consumer: Consumer) => void): BrokerAdapter => ({
  ...adapter,
  open(context) {
    const broker = adapter.open(context);
    return {
      ...broker,
      consumer(options) {
        const consumer = broker.consumer(options);
        onConsumer(consumer);
        return consumer;
      },
    };
  },
});

const lagOf = async (consumer: Consumer | null): Promise<number | null> => (await consumer?.lag()) ?? null;

const sendAll = async (fixture: BrokerFixture, messages: number, data: string): Promise<void> => {
  await using sender = await new TestApp(fixture, { sendTimeoutMs: 60_000 }).start();
  for (let sent = 0; sent < messages; sent += MESSAGES_PER_SEND) {
    const count = Math.min(MESSAGES_PER_SEND, messages - sent);
    const list = Array.from({ length: count }, () => ({ type: "t", data }));
    await sender.messaging.sendAll(sender.topic, list);
  }
};

/** Returns the memory of objects and off-heap buffers. Collects garbage until it is stable, because buffers are freed some time after their owner. */
const usedBytes = async (): Promise<number> => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  let min = Infinity;
  let unchanged = 0;
  for (let collections = 0; unchanged < 5 && collections < MAX_COLLECTIONS; collections++) {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    unchanged = heapUsed + arrayBuffers < min - MIN_DECREASE_BYTES ? 0 : unchanged + 1;
    min = Math.min(min, heapUsed + arrayBuffers);
    await shortPause(20);
  }
  return min;
};

/** Garbage of an earlier test may take seconds to be freed. */
const MAX_COLLECTIONS = 100;
/** A smaller decrease counts as stable. */
const MIN_DECREASE_BYTES = 32_768;
