/**
 * Compares a subscription of `@framework/kafka` with equivalent hand-written code on kafkajs: 16 keys concurrently, the messages of a key in order, alternately
 * within one run. The time is measured from the first handler to the last.
 *
 *   pnpm --filter @framework/bench bench:kafka [--rounds 9] [--messages 20000]
 */
import { randomUUID } from "node:crypto";
import { App } from "@framework/core";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { type Spent, startMeter } from "../measure/spent.ts";
import { estimate, formatEstimate } from "../measure/statistics.ts";
import { readBare } from "./bare-consumer.ts";
import { kafkaBroker, messaging, startKafka } from "./packages.ts";

const MIN_RATIO = 0.85;
const WARM_UP = 2;
const KEYS = 100;
const TOPIC = "measured";
const quiet = { info() {}, warn() {}, error() {} };

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "9" }, messages: { type: "string", default: "20000" } },
});
const [rounds, total] = [Number(values.rounds), Number(values.messages)];

await using server = await startKafka();
const settings = { brokers: server.url, partitions: 4 };

/**
 * Work of the handlers. Only the handler that waits has a gate, because real handlers also wait. A handler that does nothing measures only
 * the envelope and the window, which bare kafkajs does not have.
 */
const workByName: Readonly<Record<string, () => Promise<unknown>>> = {
  "waits 1 ms": () => pause(1),
  "yields to the event loop": () => new Promise(setImmediate),
  "does nothing": async () => {},
};

/** Creates a handler that returns true for the last message. */
const createHandler = (work: () => Promise<unknown>): ((data: unknown) => Promise<boolean>) => {
  let handled = 0;
  return async (data) => {
    await work();
    if (typeof data !== "object")
      throw new TypeError("the handler must receive the data of the sent message");
    return ++handled === total;
  };
};

const fill = async (): Promise<void> => {
  const app = new (App.with(messaging))().enableMessaging({ broker: kafkaBroker(settings), topics: [TOPIC] });
  await app.start({ log: quiet });
  for (let sent = 0; sent < total; sent += 1000)
    await app.messaging.sendAll(
      TOPIC,
      Array.from({ length: 1000 }, (_, at) => ({
        type: "order.placed",
        key: `key-${(sent + at) % KEYS}`,
        data: { order: sent + at, customer: "customer", items: ["first", "second", "third"] },
      })),
    );
  await app.stop();
};

const readOurs = async (group: string, handle: (data: unknown) => Promise<boolean>): Promise<Spent> => {
  const app = new (App.with(messaging))().enableMessaging({ broker: kafkaBroker(settings) });
  const all = Promise.withResolvers<void>();
  let spent: (() => Spent) | null = null;
  app.messaging.subscribe(TOPIC, { group, order: "key", concurrency: 16 }, async ({ data }) => {
    spent ??= startMeter();
    if (await handle(data)) all.resolve();
  });
  await app.start({ log: quiet });
  await all.promise;
  const result = (spent ?? startMeter())();
  await app.stop();
  return result;
};

printTitle(`Kafka: ${total} messages of ${KEYS} keys, 16 handlers`);
await fill();
const perSecond = (ms: number): number => (total * 1000) / ms;
const compare = async (workName: string): Promise<void> => {
  const handle = (): ReturnType<typeof createHandler> =>
    createHandler(workByName[workName] ?? (async () => {}));
  const samples: { readonly ours: Spent; readonly bare: Spent }[] = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    const runBare = (): Promise<Spent> => readBare(server.url, TOPIC, randomUUID(), handle());
    const first = round % 2 === 0 ? await runBare() : null;
    const ours = await readOurs(randomUUID(), handle());
    const bare = first ?? (await runBare());
    if (round >= 0) samples.push({ ours, bare });
  }
  const ratio = estimate(samples.map(({ ours, bare }) => bare.wallMs / ours.wallMs));
  const processor = estimate(samples.map(({ ours, bare }) => bare.processorMs / ours.processorMs));
  const microsPerMessage = (side: "ours" | "bare"): string =>
    formatEstimate(estimate(samples.map((one) => (one[side].processorMs * 1000) / total)), 1);
  printTable(
    [
      "handler",
      "throughput, ours / kafkajs",
      "CPU time, kafkajs / ours",
      "ours, µs per message",
      "kafkajs, µs per message",
      "ours, messages/s",
    ],
    [
      [
        workName,
        formatEstimate(ratio, 2),
        formatEstimate(processor, 2),
        microsPerMessage("ours"),
        microsPerMessage("bare"),
        formatEstimate(estimate(samples.map(({ ours }) => perSecond(ours.wallMs))), 0),
      ],
    ],
  );
  if (workName === "waits 1 ms")
    gate(
      ratio.median >= MIN_RATIO,
      `a subscription has at least ${MIN_RATIO} of the throughput of bare kafkajs\n`,
    );
};
for (const workName of Object.keys(workByName)) await compare(workName);
