import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { App, type Logger } from "@framework/core";
import { type Message, messaging, type MessagingMethods } from "@framework/messaging";
import { kafkaBroker } from "./index.ts";

const quiet: Logger = { info() {}, warn() {}, error() {} };

export const newTopic = (): string => `t${randomUUID().slice(0, 8)}`;

/** Time of a request, and of a send. */
export const REQUEST_MS = 3000;

/** Longest wait for something: other work may use the machine. */
const LIMIT_MS = 120_000;

/** Waits until a condition holds; `what` names it in the error. */
export const until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
  for (const end = performance.now() + LIMIT_MS; !(await holds()); await pause(10))
    if (performance.now() > end) throw new Error(`waited ${LIMIT_MS} ms for ${what}`);
};

/** What handlers of all processes of a test did, by key, in the order in which they did it. */
export class Ledger {
  readonly byKey: Map<string, number[]> = new Map();
  /** Handlers that were started again for a message that another handler had not left. */
  overlaps = 0;
  private readonly running = new Set<string>();
  private readonly seen = new Set<string>();

  /** Different messages that were handled. */
  get count(): number {
    return this.seen.size;
  }

  async handle({ key, data }: Message, work: () => Promise<void>): Promise<void> {
    const lane = key ?? "";
    if (this.running.has(lane)) this.overlaps++;
    this.running.add(lane);
    try {
      await work();
      this.seen.add(`${lane} ${String(data)}`);
      const done = this.byKey.get(lane);
      if (done === undefined) this.byKey.set(lane, [data as number]);
      else done.push(data as number);
    } finally {
      this.running.delete(lane);
    }
  }

  /** Keys whose messages were first handled in another order than they were sent. */
  get disordered(): readonly string[] {
    return Array.from(this.byKey)
      .filter(([, all]) => [...new Set(all)].some((value, at) => value !== at))
      .map(([key]) => key);
  }
}

/** A process of a test: an app on the broker, whose handler writes to the ledger. */
export const worker = async (
  brokers: string,
  topic: string,
  { ledger, group = `${topic}-group`, work = async () => {}, ...options }: WorkerOptions,
): Promise<App & MessagingMethods> => {
  const app = new (App.with(messaging))().enableMessaging({
    broker: kafkaBroker({
      brokers,
      partitions: 4,
      sessionTimeoutMs: 6000,
      requestTimeoutMs: REQUEST_MS,
      ...options,
    }),
    topics: [topic],
    sendTimeoutMs: REQUEST_MS,
    drainMs: 5000,
  });
  if (ledger !== undefined)
    app.messaging.subscribe(topic, { group, order: "key", deadLetter: "topic" }, (message) =>
      ledger.handle(message, work),
    );
  await app.start({ log: quiet });
  return app;
};

export interface WorkerOptions extends NonNullable<Parameters<typeof kafkaBroker>[0]> {
  /** Where the handler writes; without one, the process only sends. */
  readonly ledger?: Ledger;
  /** @default one of the topic's own */
  readonly group?: string;
  /** What the handler does. */
  readonly work?: () => Promise<void>;
}

/** Waits until every subscription of a process gets messages. */
export const untilRunning = (app: App & MessagingMethods): Promise<void> =>
  until("the subscriptions to run", () => app.messaging.status().every(({ state }) => state === "running"));

/** Sends numbers from 0 for each key, in order; a send that failed is sent again, as a relay of an outbox does. */
export const sendAll = async (
  app: App & MessagingMethods,
  topic: string,
  { keys, each, chunk = 2 }: { readonly keys: number; readonly each: number; readonly chunk?: number },
): Promise<void> => {
  for (let from = 0; from < each; from += chunk) {
    const messages = Array.from({ length: Math.min(chunk, each - from) }, (_, at) =>
      Array.from({ length: keys }, (_key, key) => ({
        id: `${key}-${from + at}`,
        type: "n",
        key: `key-${key}`,
        data: from + at,
      })),
    ).flat();
    for (;;) {
      const sent = await app.messaging.sendAll(topic, messages).then(
        () => true,
        () => false,
      );
      if (sent) break;
      await pause(100);
    }
  }
};
