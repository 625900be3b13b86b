import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { App, type Logger } from "@framework/core";
import { messaging, type MessagingMethods } from "@framework/messaging";
import { deadTopicOf, Ledger } from "@framework/messaging/testing";
import { kafkaBroker } from "./index.ts";

const quiet: Logger = { info() {}, warn() {}, error() {} };

export const newTopic = (): string => `t${randomUUID().slice(0, 8)}`;

/** Time of a request, and of a send. */
export const REQUEST_MS = 3000;

/** Messages of one test: more with `FRAMEWORK_KAFKA_MESSAGES=100000`. */
export const MESSAGES: number = Number(process.env["FRAMEWORK_KAFKA_MESSAGES"] ?? 1000);
export const KEYS = 20;
/** Time after which a silent process loses its partitions: of many messages, a busy machine needs the default. */
const SESSION_MS = MESSAGES > 10_000 ? 30_000 : 6000;
/** Time limit of a test: other work may use the machine. */
export const LIMIT_MS: number = 300_000 + MESSAGES * 20;

/** So many messages that a fault meets many sends, in 20 keys, some of which fail. */
export const newLedger = (): Ledger => {
  const run = Math.max(2, MESSAGES / KEYS / 100); // numbers of a key in one send
  return new Ledger(MESSAGES, { keys: KEYS, together: KEYS, run, fails: true });
};

/** Longest wait for something. */
const WAIT_MS = 120_000;

/** Waits until a condition holds; `what` names it in the error. */
export const until = async (
  what: string | (() => string),
  holds: () => boolean | Promise<boolean>,
  mostMs: number = WAIT_MS,
): Promise<void> => {
  for (const end = performance.now() + mostMs; !(await holds()); await pause(10))
    if (performance.now() > end)
      throw new Error(`waited ${mostMs} ms for ${typeof what === "string" ? what : what()}`);
};

export interface WorkerOptions extends NonNullable<Parameters<typeof kafkaBroker>[0]> {
  /** Where the handler writes; without one, the process only sends. */
  readonly ledger?: Ledger;
  /** @default one of the topic's own */
  readonly group?: string;
  /** What the handler does. */
  readonly work?: () => Promise<void>;
  /** @default REQUEST_MS */
  readonly sendTimeoutMs?: number;
}

/** Starts a process of a test, whose handler writes to the ledger. */
export const worker = async (
  brokers: string,
  topic: string,
  {
    ledger,
    group = groupOf(topic),
    work = async () => {},
    sendTimeoutMs = REQUEST_MS,
    ...options
  }: WorkerOptions,
): Promise<App & MessagingMethods> => {
  const app = new (App.with(messaging))().enableMessaging({
    broker: kafkaBroker({
      brokers,
      partitions: 4,
      sessionTimeoutMs: SESSION_MS,
      requestTimeoutMs: REQUEST_MS,
      ...options,
    }),
    topics: [topic, deadTopicOf(topic)],
    sendTimeoutMs,
    drainMs: 5000,
  });
  ledger?.subscribe({ app }, topic, { group, work });
  await app.start({ log: quiet });
  return app;
};

/** The group of a topic, unless a test names another one. */
export const groupOf = (topic: string): string => `${topic}-group`;

/** Waits until every subscription of a process gets messages. */
export const untilRunning = (app: App & MessagingMethods): Promise<void> =>
  until("the subscriptions to run", () => app.messaging.status().every(({ state }) => state === "running"));
