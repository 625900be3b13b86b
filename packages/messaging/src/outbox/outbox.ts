import type { Logger } from "@framework/core";
import { type Clock, messageOf } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import { type Kernel, NonRetryableError, TryLaterError, type WorkItem } from "@framework/durable/feature";
import { Troubles } from "../waiting/troubles.ts";
import { fromRow, toRow } from "../database/stored-message.ts";
import type { SendResult } from "../port/broker-adapter.ts";
import type { OutgoingMessage } from "../port/delivery.ts";

/** Sends messages at once, and resolves with one result each. */
export type SendNow = (messages: readonly OutgoingMessage[]) => Promise<readonly SendResult[]>;

/** What an outbox needs. */
export interface OutboxParts {
  readonly sendNow: SendNow;
  readonly clock: Clock;
  /** The log of the app, which is known after its start. */
  readonly log: () => Logger;
}

/** Messages that one process sends at a time. */
const CONCURRENCY = 200;

/** Limit of one send; the sender has a shorter one. */
const LIMIT_MS = 660_000;

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 30_000;

/** Time between two warnings of one topic, and the topics that are remembered for it. */
const WARN_MS = 60_000;
/** A topic without a warning for so long is forgotten: its messages were sent by another process, or are gone. */
const FORGET_MS = 180_000;
const MAX_TOPICS = 100;

/** Headers of a stored message that are not its own. */
const TOPIC = "framework-outbox-topic";
const ID = "framework-outbox-id";
const DELAY = "framework-outbox-delay";

interface Waiting {
  readonly message: OutgoingMessage;
  readonly done: (error: Error | null) => void;
}

/**
 * Messages that transactions of the app's database send to another broker: stored with the commit, and sent by whichever process is free. Those of one
 * topic and key are sent one at a time, in order; nothing is removed before the broker has confirmed it.
 */
export class Outbox {
  private readonly kernel: Kernel;
  private readonly queue: string;
  private readonly sendNow: SendNow;
  private readonly clock: Clock;
  private readonly log: () => Logger;
  private readonly troubles: Troubles;
  /** When the latest warning was logged, by topic. */
  private readonly warned = new Map<string, number>();
  private waiting: Waiting[] = [];
  /** When the broker first failed since it last confirmed or refused a message. */
  private awaySince: number | null = null;

  /** Call it before the start: it adds a queue. */
  constructor(kernel: Kernel, broker: string, { sendNow, clock, log }: OutboxParts) {
    this.kernel = kernel;
    this.queue = `outbox:${broker}`;
    this.sendNow = sendNow;
    this.clock = clock;
    this.log = log;
    this.troubles = new Troubles(clock);
    kernel.use("outbox: true").queue<unknown>({
      name: this.queue,
      kind: "message",
      concurrency: CONCURRENCY,
      timeoutMs: LIMIT_MS,
      isPlain: true,
      handle: (item) => this.send(item),
    });
  }

  /** Why messages are sent again, for the topic of which that is so for the longest time; `null` when the latest of each topic was sent. */
  get trouble(): string | null {
    this.forget();
    return this.troubles.worst?.reason ?? null;
  }

  /** Stores messages; they are sent after the commit. */
  async add(tx: Transaction, messages: readonly OutgoingMessage[]): Promise<void> {
    await this.kernel.work.add(this.queue, messages.map(toStored), tx);
  }

  /** Sends one message, together with others of the same turn of the event loop. */
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
      this.note(message.topic, isLater ? result.error : result === null ? results : null);
      done(this.errorOf(result));
    }
  }

  /** Has operators know why messages of a topic wait. */
  private note(topic: string, error: unknown): void {
    const isRecent = this.clock.now() - (this.warned.get(topic) ?? -Infinity) < WARN_MS;
    if (error === null) {
      this.troubles.ended(topic);
      if (!isRecent) this.warned.delete(topic);
      return;
    }
    if (this.warned.size >= MAX_TOPICS) this.forget();
    if (this.warned.size >= MAX_TOPICS && !this.warned.has(topic)) return;
    this.troubles.failed(topic, `messages to ${topic} are not sent: ${messageOf(error)}`);
    if (isRecent) return;
    this.warned.set(topic, this.clock.now());
    this.log().warn("messaging: messages of the outbox are not sent", { topic, error });
  }

  /** Forgets topics of which this process has sent nothing for some time. */
  private forget(): void {
    const before = this.clock.now() - FORGET_MS;
    for (const [topic, at] of this.warned) {
      if (at > before) continue;
      this.warned.delete(topic);
      this.troubles.ended(topic);
    }
  }

  /** A broker that is away costs no attempt: the message waits for it, however long. */
  private errorOf(result: SendResult | null): Error | null {
    if (result === null || (!result.ok && result.isRetryable))
      return new TryLaterError(this.pauseMs(), { isCounted: false });
    this.awaySince = null;
    return result.ok ? null : new NonRetryableError(result.error.message, { cause: result.error });
  }

  /** As long as the broker has been away, so it doubles each time; a count of failures would grow with the messages that wait. */
  private pauseMs(): number {
    const now = this.clock.now();
    this.awaySince ??= now;
    return Math.min(Math.max(FIRST_PAUSE_MS, Math.ceil(now - this.awaySince)), LONGEST_PAUSE_MS);
  }
}

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
