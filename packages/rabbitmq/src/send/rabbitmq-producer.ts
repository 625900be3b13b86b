import { type Clock, messageOf } from "@framework/core/feature";
import {
  endsWithProcess,
  type OutgoingMessage,
  type Producer,
  type SendOptions,
  type SendResult,
} from "@framework/messaging/adapter";
import type { MessageTarget } from "../topology/delay-queues.ts";
import { publicationOf } from "./publication.ts";
import type { Publisher } from "./publisher.ts";

const stored: SendResult = Object.freeze({ ok: true });

/** Sends messages to topics. Messages with the same topic and key wait for each other's confirmation, to keep the order after a failure. */
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

/** Whether amqplib cannot write a message: its headers exceed 64 KiB in a frame, or have a type that AMQP lacks. */
const isUnencodable = (error: unknown): boolean => error instanceof RangeError || error instanceof TypeError;

/**
 * Returns the exchange of a topic; for a private topic its queue, because its exchange may be deleted at any time, and publishing to a missing exchange closes the
 * channel.
 */
const targetOf = ({ topic }: OutgoingMessage): MessageTarget =>
  endsWithProcess(topic) ? { exchange: "", routingKey: topic } : { exchange: topic, routingKey: "" };

/** Returns the result of a message that was not sent because an earlier message of its key failed. */
const notSent = (last: SendResult): SendResult =>
  last.ok ? last : { ok: false, error: last.error, isRetryable: true };
