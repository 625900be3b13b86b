import { messageOf } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import type { Kernel } from "@framework/durable/feature";
import type { Producer, SendOptions, SendResult } from "../port/broker-adapter.ts";
import type { OutgoingMessage } from "../port/delivery.ts";
import { untilAborted } from "../waiting/until-aborted.ts";
import type { Groups } from "./groups.ts";
import { toRow } from "./stored-message.ts";

/** Sends messages to topics in the database: stores one copy for each group, atomically. */
export class DatabaseProducer implements Producer {
  private readonly kernel: Kernel;
  private readonly groups: Groups;

  constructor(kernel: Kernel, groups: Groups) {
    this.kernel = kernel;
    this.groups = groups;
  }

  async send(messages: readonly OutgoingMessage[], { signal }: SendOptions): Promise<readonly SendResult[]> {
    const results = new Map<OutgoingMessage, SendResult>();
    for (const [topic, own] of byTopic(messages)) {
      const result = await this.store(topic, own, signal);
      for (const message of own) results.set(message, result);
    }
    return messages.map((message) => results.get(message) ?? stored);
  }

  async sendIn(tx: Transaction, messages: readonly OutgoingMessage[]): Promise<void> {
    for (const [topic, own] of byTopic(messages))
      for (const { queue, ordering } of await this.groups.of(topic, tx))
        await this.kernel.work.add(
          queue,
          own.map((message) => toRow(message, ordering)),
          tx,
        );
  }

  /** Stores messages, or fails when the signal aborts: the database may wait for a lock indefinitely, and may still store them afterwards. */
  private async store(
    topic: string,
    messages: readonly OutgoingMessage[],
    signal: AbortSignal,
  ): Promise<SendResult> {
    try {
      signal.throwIfAborted();
      await untilAborted(this.insert(topic, messages, signal), signal);
      return stored;
    } catch (error) {
      return {
        ok: false,
        error: Error.isError(error) ? error : new Error(messageOf(error)),
        isRetryable: true,
      };
    }
  }

  private async insert(
    topic: string,
    messages: readonly OutgoingMessage[],
    signal: AbortSignal,
  ): Promise<void> {
    const [only, second] = await this.groups.of(topic);
    signal.throwIfAborted();
    if (only !== undefined && second === undefined)
      await this.kernel.work.add(
        only.queue,
        messages.map((message) => toRow(message, only.ordering)),
      );
    else await this.kernel.transaction((tx) => this.sendIn(tx, messages));
  }
}

const stored: SendResult = Object.freeze({ ok: true });

const byTopic = (messages: readonly OutgoingMessage[]): ReadonlyMap<string, readonly OutgoingMessage[]> =>
  Map.groupBy(messages, ({ topic }) => topic);
