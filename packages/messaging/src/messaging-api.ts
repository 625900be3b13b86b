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

/** Options of one send. */
export interface SendOptions extends SendSettings {
  /** Name of the broker. @default the broker of `enableMessaging`, or the only one */
  readonly broker?: string | undefined;
}

/** Options of a request. */
export interface RequestOptions<S extends StandardSchema | undefined = undefined> {
  /** Time until the reply in milliseconds, the send included; 1 to 3,600,000. @default 10000 */
  readonly timeoutMs?: number;
  /** Schema of the reply. @default it is not checked */
  readonly schema?: S;
  /** Name of the broker. @default as for `send` */
  readonly broker?: string | undefined;
}

/** Messages of an app. */
export interface Messaging {
  /**
   * Adds a handler for a topic, before the start. What it returns acknowledges the message; what it throws is followed by the retry policy.
   *
   * A message may be delivered more than once: make handlers repeatable, or use `dedupe: "inbox"`.
   *
   * @param topic a name, a `Topic` whose schemas then hold, or a regular expression where the broker has patterns
   * @throws MESSAGING_BAD_CONFIG at start, with all other mistakes
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
  /** Adds a handler that gets several messages at once and returns a verdict for each. */
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
   * Sends a message and resolves when the broker has confirmed it; with `tx`, when the transaction holds it.
   *
   * @throws MESSAGING_BAD_MESSAGE, MESSAGING_TOO_LARGE, MESSAGING_NOT_ENABLED; SendFailedError 503, after which it may have been stored
   */
  send<T extends string | Topic>(topic: T, message: MessageTo<T>, options?: SendOptions): Promise<Receipt>;
  /**
   * Sends several messages of one topic. Those of a key are stored in their order; those without one, too, in memory, on the database and on RabbitMQ.
   * Rejects with the first failure; the others may have been stored.
   */
  sendAll<T extends string | Topic>(
    topic: T,
    messages: readonly MessageTo<T>[],
    options?: SendOptions,
  ): Promise<readonly Receipt[]>;
  /**
   * Sends a message and resolves with what its handler returned, as JSON gives it. With several groups the first reply counts.
   *
   * @throws NoReplyError 504 in time; RequestFailedError 502 when the message became a dead letter or the reply does not fit `schema`; as `send`;
   * MESSAGING_BAD_CONFIG where the broker has no topics for one process
   */
  request<T extends string | Topic, S extends StandardSchema | undefined = undefined>(
    topic: T,
    message: MessageTo<T>,
    options?: RequestOptions<S>,
  ): Promise<S extends StandardSchema ? InferOutput<S> : unknown>;
  /** Wraps every handler of single messages; the first one added is the outermost. */
  use(middleware: Middleware<Message, Outcome>): this;
  /** Every subscription of this process, with the state of its consumer. */
  status(): readonly SubscriptionStatus[];
  /**
   * Creates what the brokers lack for the topics and subscriptions of the app, or only compares; nothing that exists is changed. The app need not have started:
   * it is the step of a deployment before apps with `topology: "verify"`. Resolves with the problems of each broker; `framework topology` prints them.
   *
   * @throws MESSAGING_NOT_ENABLED; MESSAGING_BAD_CONFIG for a subscription that its broker cannot have
   */
  declareTopology(mode: "create" | "verify"): Promise<readonly DeclaredTopology[]>;
  /**
   * Ends a group on the database that no program subscribes to any more, and deletes the messages that wait for it. Until then it keeps each message of its topic.
   * Returns whether there was such a group.
   *
   * @throws MESSAGING_BAD_CONFIG for a group of this process, and where the broker's own tools end groups; MESSAGING_NOT_ENABLED; MESSAGING_BAD_MESSAGE for an
   * unknown option
   */
  endGroup(topic: string | Topic, group: string, options?: Pick<SendOptions, "broker">): Promise<boolean>;
  /** Adds another broker by name, before the start. */
  addBroker(
    name: string,
    adapter: BrokerAdapter,
    config?: ConfigInput<Omit<MessagingConfig, "broker">>,
  ): this;
}
