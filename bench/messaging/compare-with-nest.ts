import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { App } from "@framework/core";
import { systemClock } from "@framework/core/feature";
import { gate, printTable } from "../measure/report.ts";
import { type Spent, startMeter } from "../measure/spent.ts";
import { estimate, formatEstimate } from "../measure/statistics.ts";
import { nestOnKafka, nestOnRabbitMq } from "./nest.ts";
import { kafkaBroker, messaging, rabbitmqBroker, startKafka, startRabbitMq } from "./packages.ts";

const WARM_UP = 2;
const TOPIC = "measured";
const TYPE = "order.placed";
const PREFETCH = 100;
const PARTITIONS = 4;
const KEYS = 100;

const quiet = { info() {}, warn() {}, error() {} };
const order = { order: 12_345, customer: "customer", items: ["first", "second", "third"] };

/** Work of the handlers. */
const workByName: Readonly<Record<string, () => Promise<unknown>>> = {
  "waits 1 ms": () => pause(1),
  "does nothing": async () => {},
};

type Handle = (data: unknown) => Promise<void>;
/** Starts a consumer of all messages; returns a function that stops it. */
type Consume = (handle: Handle) => Promise<() => Promise<void>>;

/** Measures from the first handler to the last. */
const measure = async (consume: Consume, messages: number, work: () => Promise<unknown>): Promise<Spent> => {
  const all = Promise.withResolvers<void>();
  let spent: (() => Spent) | null = null;
  let left = messages;
  const stop = await consume(async (data) => {
    spent ??= startMeter();
    await work();
    if (typeof data !== "object")
      throw new TypeError("the handler must receive the data of the sent message");
    if (--left === 0) all.resolve();
  });
  await all.promise;
  const result = (spent ?? startMeter())();
  await stop();
  return result;
};

interface Comparison {
  readonly ours: Consume;
  readonly nest: Consume;
  /** Sends the messages of one round to both. */
  readonly fill: () => Promise<void>;
  readonly rounds: number;
  readonly messages: number;
}

const compare = async (broker: string, { ours, nest, fill, rounds, messages }: Comparison): Promise<void> => {
  for (const [workName, work] of Object.entries(workByName)) {
    const samples: { readonly ours: Spent; readonly nest: Spent }[] = [];
    for (let round = -WARM_UP; round < rounds; round++) {
      await fill();
      const first = round % 2 === 0 ? await measure(nest, messages, work) : null;
      const own = await measure(ours, messages, work);
      const other = first ?? (await measure(nest, messages, work));
      if (round >= 0) samples.push({ ours: own, nest: other });
    }
    const ratio = estimate(samples.map((one) => one.nest.wallMs / one.ours.wallMs));
    const processor = estimate(samples.map((one) => one.nest.processorMs / one.ours.processorMs));
    const microsPerMessage = (key: "ours" | "nest"): string =>
      formatEstimate(estimate(samples.map((one) => (one[key].processorMs * 1000) / messages)), 1);
    const rate = (key: "ours" | "nest"): string =>
      formatEstimate(estimate(samples.map((one) => (messages * 1000) / one[key].wallMs)), 0);
    printTable(
      [
        `${broker}: handler`,
        "throughput, ours / NestJS",
        "CPU time, NestJS / ours",
        "ours, µs per message",
        "NestJS, µs per message",
        "ours, messages/s",
        "NestJS, messages/s",
      ],
      [
        [
          workName,
          formatEstimate(ratio, 2),
          formatEstimate(processor, 2),
          microsPerMessage("ours"),
          microsPerMessage("nest"),
          rate("ours"),
          rate("nest"),
        ],
      ],
    );
    gate(
      ratio.median >= 1,
      `${broker}, a handler that ${workName}: at least the throughput of NestJS microservices\n`,
    );
    gate(
      processor.median >= 1,
      `${broker}, a handler that ${workName}: at most the processor time of NestJS microservices\n`,
    );
  }
};

/** Reads one topic from its beginning in every round: 100 keys, 4 partitions, 16 handlers of ours, the messages of a key in order. */
export const measureKafka = async (rounds: number, messages: number): Promise<void> => {
  await using server = await startKafka();
  const settings = { brokers: server.url, partitions: PARTITIONS };
  const subscribe = async (handle: Handle): Promise<() => Promise<void>> => {
    const app = new (App.with(messaging))().enableMessaging({ broker: kafkaBroker(settings) });
    const group = randomUUID();
    app.messaging.subscribe(TOPIC, { group, order: "key", concurrency: 16 }, ({ data }) => handle(data));
    await app.start({ log: quiet });
    return () => app.stop();
  };
  const sender = new (App.with(messaging))().enableMessaging({
    broker: kafkaBroker(settings),
    topics: [TOPIC],
  });
  await sender.start({ log: quiet });
  for (let sent = 0; sent < messages; sent += 1000)
    await sender.messaging.sendAll(
      TOPIC,
      Array.from({ length: 1000 }, (_, at) => ({ type: TYPE, key: `key-${at % KEYS}`, data: order })),
    );
  await sender.stop();
  await compare("Kafka", {
    ours: subscribe,
    nest: (handle) => nestOnKafka(server.url, { topic: TOPIC, partitions: PARTITIONS, handle }),
    fill: async () => {},
    rounds,
    messages,
  });
};

/** Gives each side its own quorum queue with the same messages. Both prefetch 100, and therefore run 100 concurrent handlers. */
export const measureRabbitMq = async (rounds: number, messages: number): Promise<void> => {
  await using server = await startRabbitMq();
  const settings = { url: server.url, prefetchCount: PREFETCH };
  const context = { name: "bench", instance: "1", clock: systemClock, random: Math.random, log: quiet };
  const broker = rabbitmqBroker(settings).open(context);
  const subscriptions = ["ours", "nest"].map((group) => ({
    topics: [TOPIC],
    group,
    order: "none" as const,
    from: "earliest" as const,
    deadLetterTopic: `${TOPIC}.${group}.dlq`,
    retryTopics: [],
    maxTries: 7,
  }));
  await broker.topology({ topics: [TOPIC], subscriptions }, "create");
  const body = JSON.stringify({ pattern: TYPE, data: order }); // the packet of NestJS
  let sent = 0;
  const message = () => {
    const id = String(++sent);
    const attributes = { "cloudevents:specversion": "1.0", "cloudevents:id": id, "cloudevents:type": TYPE };
    const headers = { ...attributes, "cloudevents:source": "/", "content-type": "application/json" };
    return { topic: TOPIC, id, key: null, headers, body, delayMs: 0 };
  };
  await compare("RabbitMQ", {
    async ours(handle) {
      const app = new (App.with(messaging))().enableMessaging({
        broker: rabbitmqBroker(settings),
        topology: "off",
      });
      const options = { group: "ours", concurrency: PREFETCH, prefetch: PREFETCH };
      app.messaging.subscribe(TOPIC, options, ({ data }) => handle(data));
      await app.start({ log: quiet });
      return () => app.stop();
    },
    nest: (handle) =>
      nestOnRabbitMq(server.url, { queue: `${TOPIC}.nest`, pattern: TYPE, prefetch: PREFETCH, handle }),
    async fill() {
      for (let left = messages; left > 0; left -= 1000) {
        const batch = Array.from({ length: Math.min(left, 1000) }, message);
        const results = await broker.producer.send(batch, { signal: AbortSignal.timeout(60_000) });
        if (!results.every(({ ok }) => ok)) throw new Error("a message was not confirmed");
      }
    },
    rounds,
    messages,
  });
  await broker.close();
};
