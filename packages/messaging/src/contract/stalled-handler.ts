import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { BrokerAdapter, Consumer } from "../port/broker-adapter.ts";
import type { BrokerFixture } from "./broker-fixture.ts";
import { TestApp } from "./test-app.ts";
import { quietly, until } from "./until.ts";

/** What a process holds whose handlers do not end. */
export interface HeldByStalledHandler {
  /** Handlers that run. */
  readonly inFlight: number;
  /** Messages that it took from the broker. */
  readonly received: number;
  /** Messages of the group that wait at the broker, as it counts them: with or without those that were received. */
  readonly waiting: number | null;
  /** Memory that it took since its start, in MiB, garbage left out. */
  readonly grownMib: number;
}

/** How many messages wait. */
export interface WaitingPlan {
  /** Messages that wait. */
  readonly messages: number;
  /** Bytes of the data of each. @default 1000 */
  readonly bytes?: number;
  /** Most handlers of the process. @default 4 */
  readonly concurrency?: number;
  /** Most deliveries that it holds. @default 10 */
  readonly prefetch?: number;
}

/** Messages of one send. */
const TOGETHER = 1000;
const MIB = 1_048_576;

/** Sends messages, starts a process whose handlers do not end, and returns what it holds. */
export const heldByStalledHandler = async (
  fixture: BrokerFixture,
  { messages, bytes = 1000, concurrency = 4, prefetch = 10 }: WaitingPlan,
): Promise<HeldByStalledHandler> => {
  const stalled = Promise.withResolvers<void>();
  let latest: Consumer | null = null;
  const adapter = (): BrokerAdapter => watched(fixture.adapter(), (consumer) => (latest = consumer));
  const newConsumer = (): TestApp => {
    const app = new TestApp({ ...fixture, adapter }, { drainMs: 10 });
    app.messaging.subscribe(app.topic, { group: app.group, concurrency, prefetch }, () => stalled.promise);
    return app;
  };
  await (await newConsumer().start()).stop(); // makes the group: a broker may drop messages that none waits for
  await sendAll(fixture, messages, "x".repeat(bytes));
  await using consumer = newConsumer();
  const before = await usedBytes();
  await consumer.start();
  const status = (): { readonly inFlight: number; readonly received: number } =>
    consumer.messaging.status()[0] ?? { inFlight: 0, received: 0 };
  await until("the messages that it may hold", () => status().received >= prefetch);
  await quietly(300); // for messages that it must not take
  const { inFlight, received } = status();
  const grownMib = ((await usedBytes()) - before) / MIB;
  const waiting = await lagOf(latest);
  stalled.resolve();
  return { inFlight, received, waiting, grownMib };
};

/** An adapter that passes its consumers on: an app reads their lag only now and then. */
const watched = (adapter: BrokerAdapter, seen: (consumer: Consumer) => void): BrokerAdapter => ({
  ...adapter,
  open(context) {
    const broker = adapter.open(context);
    return {
      ...broker,
      consumer(options) {
        const consumer = broker.consumer(options);
        seen(consumer);
        return consumer;
      },
    };
  },
});

const lagOf = async (consumer: Consumer | null): Promise<number | null> => (await consumer?.lag()) ?? null;

const sendAll = async (fixture: BrokerFixture, messages: number, data: string): Promise<void> => {
  await using sender = await new TestApp(fixture, { sendTimeoutMs: 60_000 }).start();
  for (let sent = 0; sent < messages; sent += TOGETHER) {
    const count = Math.min(TOGETHER, messages - sent);
    const list = Array.from({ length: count }, () => ({ type: "t", data }));
    await sender.messaging.sendAll(sender.topic, list);
  }
};

/** Bytes that the process uses: objects, and buffers outside of the heap, which are free only some time after their owner was collected. */
const usedBytes = async (): Promise<number> => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  let least = Infinity;
  let unchanged = 0;
  for (let collections = 0; unchanged < 5 && collections < MAX_COLLECTIONS; collections++) {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    unchanged = heapUsed + arrayBuffers < least - FREED_BYTES ? 0 : unchanged + 1;
    least = Math.min(least, heapUsed + arrayBuffers);
    await quietly(20);
  }
  return least;
};

/** What an earlier test has left may take seconds to be free. */
const MAX_COLLECTIONS = 100;
/** A fall by less is no sign that more follows. */
const FREED_BYTES = 32_768;
