import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { App, type Logger } from "@framework/core";
import { messaging, type MessagingMethods } from "@framework/messaging";
import { deadTopicOf, DeliveryRecorder } from "@framework/messaging/testing";
import { kafkaBroker } from "./index.ts";

const quiet: Logger = { info() {}, warn() {}, error() {} };

export const newTopic = (): string => `t${randomUUID().slice(0, 8)}`;

/** Timeout of a request and of a send, in milliseconds. */
export const REQUEST_MS = 3000;

/** Number of messages of one test: more with `FRAMEWORK_KAFKA_MESSAGES=100000`. */
export const MESSAGES: number = Number(process.env["FRAMEWORK_KAFKA_MESSAGES"] ?? 1000);
export const KEYS = 20;
/** Session timeout: with many messages, a busy machine needs the default. */
const SESSION_MS = MESSAGES > 10_000 ? 30_000 : 6000;
/** Time limit of a test; high, because the machine may be busy. */
export const LIMIT_MS: number = 300_000 + MESSAGES * 20;

/** Creates a recorder of messages with 20 keys, some of which fail at first; enough messages that a fault affects many sends. */
export const newRecorder = (): DeliveryRecorder => {
  const run = Math.max(2, MESSAGES / KEYS / 100); // messages of a key in one send
  return new DeliveryRecorder(MESSAGES, { keys: KEYS, together: KEYS, run, fails: true });
};

/** Longest wait for a condition. */
const WAIT_MS = 120_000;

/** Waits until a condition holds. @param subject names the condition in the error */
export const until = async (
  subject: string | (() => string),
  isTrue: () => boolean | Promise<boolean>,
  maxMs: number = WAIT_MS,
): Promise<void> => {
  for (const end = performance.now() + maxMs; !(await isTrue()); await pause(10))
    if (performance.now() > end)
      throw new Error(`waited ${maxMs} ms for ${typeof subject === "string" ? subject : subject()}`);
};

export interface WorkerOptions extends NonNullable<Parameters<typeof kafkaBroker>[0]> {
  /** Recorder of the handler; without one, the process only sends. */
  readonly recorder?: DeliveryRecorder;
  /** @default a group of the topic */
  readonly group?: string;
  /** Called by the handler for each message. */
  readonly work?: () => Promise<void>;
  /** @default REQUEST_MS */
  readonly sendTimeoutMs?: number;
}

/** Starts a process whose handler records messages. */
export const startWorker = async (
  brokers: string,
  topic: string,
  {
    recorder,
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
  recorder?.subscribe({ app }, topic, { group, work });
  await app.start({ log: quiet });
  return app;
};

/** Default group of a topic. */
export const groupOf = (topic: string): string => `${topic}-group`;

/** Waits until every subscription of a process runs. */
export const untilRunning = (app: App & MessagingMethods): Promise<void> =>
  until("the subscriptions to run", () => app.messaging.status().every(({ state }) => state === "running"));
