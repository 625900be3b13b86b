import { randomUUID } from "node:crypto";
import type { Injections, Middleware } from "@framework/core";
import { type ConfigInput, type Feature, handled, systemClock } from "@framework/core/feature";
import type { DurableMethods } from "@framework/durable";
import { type Kernel, kernelOf } from "@framework/durable/feature";
import { type ConfigKind, registerSetup } from "./brokers/config-kinds.ts";
import { memoryBroker } from "./memory/memory-broker.ts";
import type { Message, Schemas } from "./message/message.ts";
import type { Outcome } from "./message/outcome.ts";
import { DEFAULT_BROKER, MessagingApp } from "./messaging-app.ts";
import { isAdapter, type MessagingConfig } from "./messaging-config.ts";
import type { BrokerAdapter } from "./port/broker-adapter.ts";
import type { NewMessage, Receipt } from "./send/new-message.ts";
import type { SendSettings } from "./send/sender.ts";
import { toEvent } from "./send/to-event.ts";
import type { MessageTo, Topic } from "./send/topic.ts";
import type { SubscriptionStatus } from "./consume/subscription-status.ts";
import { checkData } from "./send/check-data.ts";
import type {
  AnyHandler,
  BatchHandler,
  BatchSubscriptionOptions,
  MessageHandler,
  SchemaOption,
  SubscriptionOptions,
} from "./subscribe/subscription-options.ts";
import { subscriptionSpec } from "./subscribe/subscription-spec.ts";

/** The methods that the feature adds to an app. */
export interface MessagingMethods {
  /**
   * Enables messaging: on the app's database by default, in memory, or on the adapter of a broker. A broker's package adds its own configuration.
   *
   * @throws CORE_BAD_CONFIG, MESSAGING_BAD_CONFIG at start, with all other mistakes
   */
  enableMessaging(config?: ConfigInput<MessagingConfig>): this;
  /** Messages of the app. */
  readonly messaging: Messaging;
}

/** Options of one send. */
export interface SendOptions extends SendSettings {
  /** Name of the broker. @default the broker of `enableMessaging`, or the only one */
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
  subscribe<S extends Schemas, const I extends Injections | undefined = undefined>(
    topic: Topic<S>,
    options: SubscriptionOptions<S, I>,
    handler: MessageHandler<S, I>,
  ): this;
  subscribe<S extends SchemaOption = undefined, const I extends Injections | undefined = undefined>(
    topic: string | RegExp,
    options: SubscriptionOptions<S, I>,
    handler: MessageHandler<S, I>,
  ): this;
  /** Adds a handler that gets several messages at once and returns a verdict for each. */
  subscribeBatch<S extends Schemas, const I extends Injections | undefined = undefined>(
    topic: Topic<S>,
    options: BatchSubscriptionOptions<S, I>,
    handler: BatchHandler<S, I>,
  ): this;
  subscribeBatch<S extends SchemaOption = undefined, const I extends Injections | undefined = undefined>(
    topic: string | RegExp,
    options: BatchSubscriptionOptions<S, I>,
    handler: BatchHandler<S, I>,
  ): this;
  /**
   * Sends a message and resolves when the broker has confirmed it; with `tx`, when the transaction holds it.
   *
   * @throws MESSAGING_BAD_MESSAGE, MESSAGING_TOO_LARGE, MESSAGING_NOT_ENABLED; SendFailedError 503, after which it may have been stored
   */
  send<T extends string | Topic>(topic: T, message: MessageTo<T>, options?: SendOptions): Promise<Receipt>;
  /** Sends several messages of one topic, in order. Rejects with the first failure; the others may have been stored. */
  sendAll<T extends string | Topic>(
    topic: T,
    messages: readonly MessageTo<T>[],
    options?: SendOptions,
  ): Promise<readonly Receipt[]>;
  /** Wraps every handler of single messages; the first one added is the outermost. */
  use(middleware: Middleware<Message, Outcome>): this;
  /** Every subscription of this process, with the state of its consumer. */
  status(): readonly SubscriptionStatus[];
  /** Adds another broker by name, before the start. */
  addBroker(
    name: string,
    adapter: BrokerAdapter,
    config?: ConfigInput<Omit<MessagingConfig, "broker">>,
  ): this;
}

/**
 * Messages with one contract for every broker: typed, in order by key, retried, never lost, and dead letters that can be replayed.
 *
 * @example
 * const app = new (App.with(database, durable, messaging))().enableDatabase().enableMessaging();
 * app.messaging.subscribe("books", { group: "search", schema: Book }, async ({ data }) => await index(data));
 * await app.messaging.send("books", { type: "book.created", key: "7", data: { id: "7", title: "Emma" } });
 */
export const messaging: Feature<MessagingMethods> = {
  name: "messaging",
  install: (host, needs) => {
    const app = new MessagingApp(host, kernelIn(needs));
    const programs = messagingOf(app);
    const kinds = registerSetup(programs, (...added) => app.enable(...added));
    return {
      enableMessaging(config: object = {}) {
        enable(app, kinds, config);
        return this;
      },
      get messaging() {
        return programs;
      },
    };
  },
};

/** The kernel, when durable was composed before. */
const kernelIn = (needs: object): Kernel | null =>
  "durable" in needs ? kernelOf(needs as DurableMethods) : null;

const enable = (app: MessagingApp, kinds: readonly ConfigKind[], config: object): void => {
  const kind = kinds.find((each) => each.matches(config));
  if (kind !== undefined) {
    const { adapter, shared } = kind.open(config);
    return app.enable(DEFAULT_BROKER, adapter, shared);
  }
  const own = config as ConfigInput<MessagingConfig>;
  const { broker } = own;
  if (broker === undefined || broker === "database") return app.enableOnDatabase(own);
  app.enable(DEFAULT_BROKER, isAdapter(broker) ? broker : memoryBroker(), own);
};

const messagingOf = (app: MessagingApp): Messaging => {
  const subscribe = (
    kind: "single" | "batch",
    to: string | RegExp | Topic,
    options: SubscriptionOptions<SchemaOption, Injections | undefined>,
    handle: unknown,
  ): void => {
    const isTopic = typeof to === "object" && !(to instanceof RegExp);
    const group = options.group ?? app.defaultGroup(options.broker);
    const own = { ...(isTopic && { schema: to.schemas }), ...options, group };
    const { spec, problems } = subscriptionSpec(isTopic ? to.name : to, own, { kind, handle } as AnyHandler);
    app.subscribe(spec, problems);
  };
  return {
    subscribe(to: string | RegExp | Topic, options: object, handler: unknown) {
      subscribe("single", to, options as never, handler);
      return this;
    },
    subscribeBatch(to: string | RegExp | Topic, options: object, handler: unknown) {
      subscribe("batch", to, options as never, handler);
      return this;
    },
    send: (to, message, options = {}) => handled(sendOne(app, to, message, options)),
    sendAll: (to, messages, options = {}) => handled(sendAll(app, to, messages, options)),
    use(middleware) {
      app.use(middleware);
      return this;
    },
    status: () => app.status(),
    addBroker(name, adapter, config = {}) {
      app.enable(name, adapter, config);
      return this;
    },
  };
};

const sendOne = async (
  app: MessagingApp,
  to: string | Topic,
  message: NewMessage,
  options: SendOptions,
): Promise<Receipt> => {
  const [receipt] = await sendAll(app, to, [message], options);
  if (receipt === undefined) throw new Error("messaging: the broker confirmed nothing");
  return receipt;
};

const sendAll = async (
  app: MessagingApp,
  to: string | Topic,
  messages: readonly NewMessage[],
  { broker, ...settings }: SendOptions,
): Promise<readonly Receipt[]> => {
  const { sender, config } = app.broker(broker);
  const clock = config.clock ?? systemClock;
  const defaults = { source: config.source, newId: randomUUID, date: clock.date };
  const events = messages.map((message) => toEvent(message, defaults));
  if (typeof to !== "string") for (const event of events) await checkData(to, event);
  return await sender.send(typeof to === "string" ? to : to.name, events, settings);
};
