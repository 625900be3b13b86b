import { createHash } from "node:crypto";
import type { Logger } from "@framework/core";
import { type Clock, messageOf } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import { type Kernel, NonRetryableError, TryLaterError, type WorkItem } from "@framework/durable/feature";
import { OngoingFailures } from "../waiting/ongoing-failures.ts";
import { fromRow, toRow } from "../database/stored-message.ts";
import type { SendResult } from "../port/broker-adapter.ts";
import type { OutgoingMessage } from "../port/delivery.ts";

/** Sends messages at once and resolves with one result each. */
export type SendNow = (messages: readonly OutgoingMessage[]) => Promise<readonly SendResult[]>;

/** Dependencies of `Outbox`. */
export interface OutboxParts {
  readonly sendNow: SendNow;
  readonly clock: Clock;
  /** Returns the log of the app, available after its start. */
  readonly log: () => Logger;
}

/** Maximum number of messages that one process sends concurrently. */
const CONCURRENCY = 200;

/** Time limit of one send; the sender has a shorter one. */
const LIMIT_MS = 660_000;

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 30_000;

/** Minimum interval between warnings about one topic. */
const WARN_MS = 60_000;
/** Time without a warning after which a topic is forgotten: other processes have sent its messages, or they were removed. */
const FORGET_MS = 180_000;
/** Maximum number of topics whose failures are recorded. */
const MAX_TOPICS = 100;

/** Headers that only the stored form of a message has. */
const TOPIC = "framework-outbox-topic";
const ID = "framework-outbox-id";
const DELAY = "framework-outbox-delay";

interface WaitingMessage {
  readonly message: OutgoingMessage;
  readonly done: (error: Error | null) => void;
}

/**
 * Stores messages in transactions of the app's database, and sends them to another broker after the commit, from any process. Messages of one topic and key are
 * sent one at a time, in order; a message is removed only after the broker has confirmed it.
 */
export class Outbox {
  private readonly kernel: Kernel;
  private readonly queue: string;
  private readonly sendNow: SendNow;
  private readonly clock: Clock;
  private readonly log: () => Logger;
  private readonly failures: OngoingFailures;
  /** Time of the latest warning by topic. */
  private readonly warned = new Map<string, number>();
  private waiting: WaitingMessage[] = [];
  /** Time of the broker's first failure since it last confirmed or refused a message; `null` while it works. */
  private failingSince: number | null = null;

  /** Create it before the start: it adds a queue. */
  constructor(kernel: Kernel, broker: string, { sendNow, clock, log }: OutboxParts) {
    this.kernel = kernel;
    this.queue = queueOf(broker);
    this.sendNow = sendNow;
    this.clock = clock;
    this.log = log;
    this.failures = new OngoingFailures(clock);
    kernel.use("outbox: true").queue<unknown>({
      name: this.queue,
      kind: "message",
      concurrency: CONCURRENCY,
      timeoutMs: LIMIT_MS,
      isPlain: true,
      handle: (item) => this.send(item),
    });
  }

  /** Reason why messages cannot be sent to the topic that has failed for the longest time; `null` if no topic fails. */
  get ongoingFailure(): string | null {
    this.forget();
    return this.failures.longest?.reason ?? null;
  }

  /** Stores messages; they are sent after the commit. */
  async add(tx: Transaction, messages: readonly OutgoingMessage[]): Promise<void> {
    await this.kernel.work.add(this.queue, messages.map(toStored), tx);
  }

  /** Sends one message, in a batch with others of the same event loop tick. */
  private send(item: WorkItem<unknown>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const done = (error: Error | null): void => (error === null ? resolve() : reject(error));
    if (this.waiting.push({ message: toMessage(item), done }) === 1) setImmediate(() => void this.flush());
    return promise;
  }

  private async flush(): Promise<void> {
    const batch = this.waiting;
    this.waiting = [];
    const results = await this.sendNow(batch.map(({ message }) => message)).catch((error: unknown) => error);
    for (const [at, { message, done }] of batch.entries()) {
      const result: SendResult | null = Array.isArray(results) ? (results[at] ?? null) : null;
      const isLater = result !== null && !result.ok && result.isRetryable;
      this.record(message.topic, isLater ? result.error : result === null ? results : null);
      done(this.errorOf(result));
    }
  }

  /** Records and logs why messages of a topic are not sent; the error `null` ends the failure. */
  private record(topic: string, error: unknown): void {
    const isRecent = this.clock.now() - (this.warned.get(topic) ?? -Infinity) < WARN_MS;
    if (error === null) {
      this.failures.ended(topic);
      if (!isRecent) this.warned.delete(topic);
      return;
    }
    if (this.warned.size >= MAX_TOPICS) this.forget();
    if (this.warned.size >= MAX_TOPICS && !this.warned.has(topic)) return;
    this.failures.failed(topic, `messages to ${topic} are not sent: ${messageOf(error)}`);
    if (isRecent) return;
    this.warned.set(topic, this.clock.now());
    this.log().warn("messaging: messages of the outbox are not sent", { topic, error });
  }

  /** Forgets topics without a warning for `FORGET_MS`. */
  private forget(): void {
    const before = this.clock.now() - FORGET_MS;
    for (const [topic, at] of this.warned) {
      if (at > before) continue;
      this.warned.delete(topic);
      this.failures.ended(topic);
    }
  }

  /** Returns the error that ends an attempt. Retryable failures do not count as attempts: the message waits for the broker, however long. */
  private errorOf(result: SendResult | null): Error | null {
    if (result === null || (!result.ok && result.isRetryable))
      return new TryLaterError(this.pauseMs(), { isCounted: false });
    this.failingSince = null;
    return result.ok ? null : new NonRetryableError(result.error.message, { cause: result.error });
  }

  /**
   * Returns the pause before the next attempt: the time for which the broker has been failing, but 200 ms to 30 s, so that pauses double. A count of failures
   * would grow with the number of messages.
   */
  private pauseMs(): number {
    const now = this.clock.now();
    this.failingSince ??= now;
    return Math.min(Math.max(FIRST_PAUSE_MS, Math.ceil(now - this.failingSince)), MAX_PAUSE_MS);
  }
}

/** Returns the queue of a broker's outbox; the broker's name is hashed if it is not valid in a queue name. */
const queueOf = (broker: string): string => {
  const name = `outbox:${broker}`;
  if (/^[\w.:/-]{1,100}$/.test(name)) return name;
  return `outbox:${createHash("sha256").update(broker).digest("hex").slice(0, 40)}`;
};

const toStored = (message: OutgoingMessage): ReturnType<typeof toRow> => {
  const { topic, id, key, headers, delayMs } = message;
  const own = { [TOPIC]: topic, [ID]: id, [DELAY]: String(delayMs) };
  const row = toRow({ ...message, headers: { ...headers, ...own }, delayMs: 0 }, "key");
  return { ...row, key: key === null ? null : `${topic}\n${key}` };
};

const toMessage = ({ payloadText, headers: stored }: WorkItem<unknown>): OutgoingMessage => {
  const { key, headers, body } = fromRow(payloadText, stored);
  const { [TOPIC]: topic = "", [ID]: id = "", [DELAY]: delay = "0", ...rest } = headers;
  return { topic, id, key, headers: Object.assign(Object.create(null), rest), body, delayMs: Number(delay) };
};
