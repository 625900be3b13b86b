/**
 * Compares a subscription of `@framework/kafka` with bare kafkajs written by hand for the same: 16 keys beside each other, each in its order, in turns
 * within one run. The time is that from the first handler to the last.
 *
 *   pnpm --filter @framework/bench bench:kafka [--rounds 9] [--messages 20000]
 */
import { randomUUID } from "node:crypto";
import { App } from "@framework/core";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { type Spent, startMeter } from "../measure/spent.ts";
import { estimate, shown } from "../measure/statistics.ts";
import { bareRead } from "./bare-consumer.ts";
import { kafkaBroker, messaging, startKafka } from "./packages.ts";

const LEAST = 0.85;
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
 * Works of handlers. Only a handler that waits is held to the limit, as the keys of a real one wait for each other: of one that does nothing, the time is
 * that of the envelope and the window, which bare kafkajs has not.
 */
const works: Readonly<Record<string, () => Promise<unknown>>> = {
  "waits 1 ms": () => pause(1),
  "gives the loop a turn": () => new Promise(setImmediate),
  "does nothing": async () => {},
};

/** Counts to all messages. */
const counter = (work: () => Promise<unknown>): ((data: unknown) => Promise<boolean>) => {
  let seen = 0;
  return async (data) => {
    await work();
    if (typeof data !== "object") throw new TypeError("not the message that was sent");
    return ++seen === total;
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
        data: { order: sent + at, customer: "somebody", items: ["first", "second", "third"] },
      })),
    );
  await app.stop();
};

const ourRead = async (group: string, handle: (data: unknown) => Promise<boolean>): Promise<Spent> => {
  const app = new (App.with(messaging))().enableMessaging({ broker: kafkaBroker(settings) });
  const all = Promise.withResolvers<void>();
  let spent: (() => Spent) | null = null;
  app.messaging.subscribe(TOPIC, { group, order: "key", concurrency: 16 }, async ({ data }) => {
    spent ??= startMeter();
    if (await handle(data)) all.resolve();
  });
  await app.start({ log: quiet });
  await all.promise;
  const took = (spent ?? startMeter())();
  await app.stop();
  return took;
};

printTitle(`Kafka: ${total} messages of ${KEYS} keys, 16 handlers`);
await fill();
const perSecond = (ms: number): number => (total * 1000) / ms;
const compare = async (what: string): Promise<void> => {
  const handle = (): ReturnType<typeof counter> => counter(works[what] ?? (async () => {}));
  const taken: { readonly ours: Spent; readonly bare: Spent }[] = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    const runBare = (): Promise<Spent> => bareRead(server.url, TOPIC, randomUUID(), handle());
    const first = round % 2 === 0 ? await runBare() : null;
    const ours = await ourRead(randomUUID(), handle());
    const bare = first ?? (await runBare());
    if (round >= 0) taken.push({ ours, bare });
  }
  const ratio = estimate(taken.map(({ ours, bare }) => bare.wallMs / ours.wallMs));
  const processor = estimate(taken.map(({ ours, bare }) => bare.processorMs / ours.processorMs));
  const each = (way: "ours" | "bare"): string =>
    shown(estimate(taken.map((one) => (one[way].processorMs * 1000) / total)), 1);
  printTable(
    [
      "a handler that",
      "ratio",
      "of processor time",
      "ours, µs a message",
      "kafkajs, µs a message",
      "ours, messages/s",
    ],
    [
      [
        what,
        shown(ratio, 2),
        shown(processor, 2),
        each("ours"),
        each("bare"),
        shown(estimate(taken.map(({ ours }) => perSecond(ours.wallMs))), 0),
      ],
    ],
  );
  if (what === "waits 1 ms")
    gate(ratio.median >= LEAST, `a subscription reads at least ${LEAST} of bare kafkajs by hand\n`);
};
for (const what of Object.keys(works)) await compare(what);
