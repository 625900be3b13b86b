import type { OutgoingMessage, SendResult } from "@framework/messaging/adapter";
import type { RecordMetadata } from "kafkajs";
import { Batch } from "./batch.ts";
import { isRetryable } from "./is-retryable.ts";
import { offsetsOf } from "./offsets-of.ts";

/** An unconfirmed message. */
export interface UnconfirmedMessage {
  readonly message: OutgoingMessage;
  readonly bytes: number;
  /** Identifies its `send` call: after a failure the rest of the call also fails. */
  readonly call: object;
  readonly signal: AbortSignal;
  readonly settle: (result: SendResult) => void;
}

/** Dependencies of `TopicLane`. */
export interface LaneParts {
  readonly topic: string;
  readonly maxBatchBytes: number;
  readonly send: (topic: string, batch: Batch) => Promise<readonly RecordMetadata[]>;
  /** Called when a batch was abandoned before its confirmation. */
  readonly onAbandoned: () => void;
  /** Called when no message is waiting any more. */
  readonly onIdle: () => void;
}

/** Maximum number of messages of one batch. */
const MAX_BATCH = 5000;

/** Sends the messages of one topic, one batch at a time; each batch has as many waiting messages as fit. */
export class TopicLane {
  private readonly parts: LaneParts;
  private waiting: UnconfirmedMessage[] = [];
  private isRunning = false;

  constructor(parts: LaneParts) {
    this.parts = parts;
  }

  add(messages: readonly UnconfirmedMessage[]): void {
    this.waiting.push(...messages);
    if (!this.isRunning) void this.run();
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    await Promise.resolve(); // lets calls that are made at the same time share a batch
    while (this.waiting.length > 0) await this.sendPending(this.takeBatch());
    this.isRunning = false;
    this.parts.onIdle();
  }

  /** Removes and returns the next messages, as many as fit into a batch. */
  private takeBatch(): readonly UnconfirmedMessage[] {
    const { maxBatchBytes } = this.parts;
    let bytes = 0;
    let count = 0;
    for (const each of this.waiting) {
      bytes += each.bytes;
      if (count > 0 && (bytes > maxBatchBytes || count >= MAX_BATCH)) break;
      count++;
    }
    const taken = this.waiting.slice(0, count);
    this.waiting = this.waiting.slice(count);
    return taken;
  }

  /** Sends the messages whose time limit has not passed. Returns the error of a single message, or of all messages; `null` if there is none. */
  private async sendPending(taken: readonly UnconfirmedMessage[]): Promise<Error | null> {
    const aborted = taken.filter(({ signal }) => signal.aborted);
    const reason = aborted.length === 0 ? null : abortReason(aborted);
    if (reason !== null) this.fail(aborted, reason, true);
    const pending = reason === null ? taken : taken.filter(({ signal }) => !signal.aborted);
    return pending.length === 0 ? reason : await this.send(pending);
  }

  private async send(taken: readonly UnconfirmedMessage[]): Promise<Error | null> {
    const batch = new Batch(taken.map(({ message }) => message));
    try {
      const found = await this.sendOrAbandon(batch, taken);
      const offsets = offsetsOf(batch.records, found);
      for (const [at, { settle }] of taken.entries()) settle({ ok: true, ...offsets[at] });
      return null;
    } catch (thrown) {
      const error = thrown as Error;
      if (batch.reason !== null) {
        this.failAbandoned(taken, error);
        return error;
      }
      const mayRetry = isRetryable(error);
      if (!mayRetry && taken.length > 1) await this.sendEach(taken);
      else this.fail(taken, error, mayRetry);
      return error;
    }
  }

  /** Sends each message alone, to find the refused ones. After a failure, no later message of the same call and key is sent. */
  private async sendEach(taken: readonly UnconfirmedMessage[]): Promise<void> {
    const failures: { readonly of: UnconfirmedMessage; readonly error: Error }[] = [];
    for (const each of taken) {
      const earlier = failures.find(({ of }) => isOrdered(of, each));
      if (earlier !== undefined) {
        this.fail([each], earlier.error, true);
        continue;
      }
      const error = await this.sendPending([each]);
      if (error !== null) failures.push({ of: each, error });
    }
  }

  /** Sends a batch; abandons it when one of its calls reaches its time limit. */
  private async sendOrAbandon(
    batch: Batch,
    taken: readonly UnconfirmedMessage[],
  ): Promise<readonly RecordMetadata[]> {
    const aborted = Promise.withResolvers<never>();
    const signals = new Set(taken.map(({ signal }) => signal));
    const abort = (): void => {
      const reason = abortReason(taken, batch.lastError);
      batch.cancel(reason);
      this.parts.onAbandoned();
      aborted.reject(reason);
    };
    for (const signal of signals) signal.addEventListener("abort", abort, { once: true });
    try {
      return await Promise.race([this.parts.send(this.parts.topic, batch), aborted.promise]);
    } finally {
      for (const signal of signals) signal.removeEventListener("abort", abort);
    }
  }

  /** Fails the messages of an abandoned batch: the calls at their time limit with its error, the others with the reason. They may have been stored. */
  private failAbandoned(taken: readonly UnconfirmedMessage[], error: Error): void {
    const expired = taken.filter(({ signal }) => signal.aborted);
    const others = taken.filter(({ signal }) => !signal.aborted);
    const reason = "its batch was abandoned at the time limit of another send";
    this.fail(expired, error, true);
    this.fail(others, new Error(reason, { cause: error.cause }), true);
  }

  /** Fails messages, and all waiting messages of the same calls, to keep the order. */
  private fail(taken: readonly UnconfirmedMessage[], error: Error, isRetryable: boolean): void {
    const calls = new Set(taken.map(({ call }) => call));
    const later = this.waiting.filter(({ call }) => calls.has(call));
    this.waiting = this.waiting.filter(({ call }) => !calls.has(call));
    for (const { settle } of taken) settle({ ok: false, error, isRetryable });
    for (const { settle } of later) settle({ ok: false, error, isRetryable: true });
  }
}

const isOrdered = (one: UnconfirmedMessage, other: UnconfirmedMessage): boolean =>
  one.call === other.call && one.message.key !== null && one.message.key === other.message.key;

const abortReason = (taken: readonly UnconfirmedMessage[], lastError: unknown = null): Error => {
  const reason: unknown = taken.find(({ signal }) => signal.aborted)?.signal.reason;
  const error = Error.isError(reason) ? reason : new Error("the send was aborted");
  return lastError === null ? error : new Error(error.message, { cause: lastError });
};
