import type { InferOutput, Injections, Middleware, StandardSchema } from "@framework/core";
import { type ConfigInput } from "@framework/core/feature";
import type { Message } from "./message/message.ts";
import type { Outcome } from "./message/outcome.ts";
import { type MessagingConfig } from "./messaging-config.ts";
import type { BrokerAdapter } from "./port/broker-adapter.ts";
import type { DeclaredTopology } from "./brokers/declared-topology.ts";
import type { Receipt } from "./send/new-message.ts";
import type { SendSettings } from "./send/sender.ts";
import type { MessageTo, SchemaTo, Topic } from "./send/topic.ts";
import type { SubscriptionStatus } from "./consume/subscription-status.ts";
import type {
  BatchHandler,
  BatchSubscriptionOptions,
  MessageHandler,
  SchemaOption,
  SubscriptionOptions,
} from "./subscribe/subscription-options.ts";

/** Options of `send` and `sendAll`. */
export interface SendOptions extends SendSettings {
  /** Name of the broker. @default the broker of `enableMessaging`, or the only one */
  readonly broker?: string | undefined;
}

/** Options of `request`. */
export interface RequestOptions<S extends StandardSchema | undefined = undefined> {
  /** Timeout in milliseconds, including the send; 1 to 3,600,000. @default 10000 */
  readonly timeoutMs?: number;
  /** Schema of the reply. @default the reply is not checked */
  readonly schema?: S;
  /** Name of the broker. @default as for `send` */
  readonly broker?: string | undefined;
}

/** Sends, requests and subscriptions of an app. */
export interface Messaging {
  /**
   * Subscribes a handler to a topic, before the start. Returning acknowledges the message; throwing applies the retry policy.
   *
   * A message may be delivered more than once: make handlers idempotent, or use `dedupe: "inbox"`.
   *
   * @param topic a name, a `Topic` with its schemas, or a regular expression if the broker supports patterns
   * @throws MESSAGING_BAD_CONFIG at start, together with all other configuration errors
   */
  subscribe<
    T extends string | RegExp | Topic,
    S extends SchemaOption = undefined,
    const I extends Injections | undefined = undefined,
  >(
    topic: T,
    options: SubscriptionOptions<S, I>,
    handler: MessageHandler<NoInfer<SchemaTo<T, S>>, I>,
  ): this;
  /** Subscribes a handler that receives several messages in one call and returns a verdict for each. */
  subscribeBatch<
    T extends string | RegExp | Topic,
    S extends SchemaOption = undefined,
    const I extends Injections | undefined = undefined,
  >(
    topic: T,
    options: BatchSubscriptionOptions<S, I>,
    handler: BatchHandler<NoInfer<SchemaTo<T, S>>, I>,
  ): this;
  /**
   * Sends a message. Resolves when the broker has confirmed it; with `tx`, when it is part of the transaction.
   *
   * @throws MESSAGING_BAD_MESSAGE, MESSAGING_TOO_LARGE, MESSAGING_NOT_ENABLED; MESSAGING_BAD_CONFIG for `tx` without an outbox; CORE_NOT_STARTED; SendFailedError 503,
   * after which it may have been stored
   */
  send<T extends string | Topic>(topic: T, message: MessageTo<T>, options?: SendOptions): Promise<Receipt>;
  /**
   * Sends up to 10,000 messages to one topic. Messages with the same key are stored in order; in memory, on the database and on RabbitMQ also messages without a key.
   * Rejects with the first failure, one of the errors of `send`; the other messages may have been stored.
   */
  sendAll<T extends string | Topic>(
    topic: T,
    messages: readonly MessageTo<T>[],
    options?: SendOptions,
  ): Promise<readonly Receipt[]>;
  /**
   * Sends a message and resolves with the JSON data that its handler returned. With several groups the first reply counts.
   *
   * @throws NoReplyError 504 after `timeoutMs`; RequestFailedError 502 if the message became a dead letter, its handler replied with an error, or the reply does
   * not fit `schema`; the errors of `send`; MESSAGING_BAD_CONFIG if the broker does not support replies
   */
  request<T extends string | Topic, S extends StandardSchema | undefined = undefined>(
    topic: T,
    message: MessageTo<T>,
    options?: RequestOptions<S>,
  ): Promise<S extends StandardSchema ? InferOutput<S> : unknown>;
  /** Wraps every handler of single messages; the first one added is the outermost. */
  use(middleware: Middleware<Message, Outcome>): this;
  /** Returns every subscription of this process with its state and counters. */
  status(): readonly SubscriptionStatus[];
  /**
   * Creates missing topics and queues of the app at its brokers, or only verifies them; changes nothing that exists. Works before the start, as a deployment step
   * for apps with `topology: "verify"`. Resolves with the problems of each broker; `framework topology` prints them.
   *
   * @throws MESSAGING_NOT_ENABLED; MESSAGING_BAD_CONFIG for a subscription that its broker does not support
   */
  declareTopology(mode: "create" | "verify"): Promise<readonly DeclaredTopology[]>;
  /**
   * Ends a group on the database and deletes its waiting messages. Call it once no program subscribes to the group: until then it keeps every message of its topic.
   * Returns whether the group existed.
   *
   * @throws MESSAGING_BAD_CONFIG for a group of this process, and on other brokers, whose own tools remove groups; MESSAGING_NOT_ENABLED; MESSAGING_BAD_MESSAGE
   * for an unknown option
   */
  endGroup(topic: string | Topic, group: string, options?: Pick<SendOptions, "broker">): Promise<boolean>;
  /** Adds another broker by name, before the start. */
  addBroker(
    name: string,
    adapter: BrokerAdapter,
    config?: ConfigInput<Omit<MessagingConfig, "broker">>,
  ): this;
}
