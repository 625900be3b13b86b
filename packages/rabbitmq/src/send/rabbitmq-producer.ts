import { type Clock, messageOf } from "@framework/core/feature";
import {
  endsWithProcess,
  type OutgoingMessage,
  type Producer,
  type SendOptions,
  type SendResult,
} from "@framework/messaging/adapter";
import type { DelayedTo } from "../topology/delay-queues.ts";
import { publicationOf } from "./publication.ts";
import type { Publisher } from "./publisher.ts";

const stored: SendResult = Object.freeze({ ok: true });

/** Sends messages to topics. Those of one topic and key wait for each other's confirmation, so that none overtakes one that failed. */
export class RabbitMQProducer implements Producer {
  private readonly publisher: Publisher;
  private readonly clock: Clock;

  constructor(publisher: Publisher, clock: Clock) {
    this.publisher = publisher;
    this.clock = clock;
  }

  async send(messages: readonly OutgoingMessage[], { signal }: SendOptions): Promise<readonly SendResult[]> {
    const lanes = new Map<string, Promise<SendResult>>();
    const results = messages.map((message) => {
      if (message.key === null) return this.one(message, signal);
      const lane = `${message.topic}\n${message.key}`;
      const before = lanes.get(lane);
      const result =
        before === undefined
          ? this.one(message, signal)
          : before.then((last) => (last.ok ? this.one(message, signal) : notSent(last)));
      lanes.set(lane, result);
      return result;
    });
    return await Promise.all(results);
  }

  private async one(message: OutgoingMessage, signal: AbortSignal): Promise<SendResult> {
    const publication = publicationOf(message, targetOf(message), { date: this.clock.date(), tries: 0 });
    try {
      await this.publisher.publish(publication, signal);
      return stored;
    } catch (error) {
      return {
        ok: false,
        error: Error.isError(error) ? error : new Error(messageOf(error)),
        isRetryable: !isUnencodable(error),
      };
    }
  }
}

/** Whether the driver cannot write a message: its headers are larger than 64 KiB in a frame, or of a type that AMQP does not have. */
const isUnencodable = (error: unknown): boolean => error instanceof RangeError || error instanceof TypeError;

/**
 * The exchange of the topic. The topic of a process is its queue: the exchange vanishes with it at any time, and publishing to a missing one closes the channel
 * under the messages of others.
 */
const targetOf = ({ topic }: OutgoingMessage): DelayedTo =>
  endsWithProcess(topic) ? { exchange: "", routingKey: topic } : { exchange: topic, routingKey: "" };

/** The result of a message behind one of its key that failed. */
const notSent = (last: SendResult): SendResult =>
  last.ok ? last : { ok: false, error: last.error, isRetryable: true };
