import type { Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import type { Capabilities } from "./capabilities.ts";
import type { Delivery, OutgoingMessage, Settlement } from "./delivery.ts";
import type { Sink } from "./sink.ts";

/**
 * Port of a broker. An adapter fetches, settles and sends; messaging implements retries, order, dead letters, inbox, schemas and drain.
 *
 * `docs/adapters.md` specifies each member; `brokerContract` of `@framework/messaging/testing` tests it.
 */
export interface BrokerAdapter {
  /** The technology: `kafka`, `rabbitmq`. Also the attribute `messaging.system` of traces, where `sqs` is `aws_sqs`. */
  readonly name: string;
  /** Features that the broker supports. */
  readonly capabilities: Capabilities;
  /** Group of subscriptions without `group`, unless `MessagingConfig.group` is set. @default none */
  readonly defaultGroup?: string;
  /** Addresses for the API document, without credentials. @default none */
  readonly servers?: readonly {
    /** `host:port`. */
    readonly host: string;
    /** Protocol as AsyncAPI names it: `kafka`, `kafka-secure`, `amqp`, `amqps`, `sqs`. */
    readonly protocol: string;
  }[];
  /** Opens the broker for one process, without I/O. It connects on first use and reconnects while it is open. Never throws. */
  open(context: BrokerContext): Broker;
}

/** Context of a broker in an app. */
export interface BrokerContext {
  /** Name of the broker in the app. */
  readonly name: string;
  /** Unique id of this process. */
  readonly instance: string;
  /** Time and timers. */
  readonly clock: Clock;
  /** Returns a random number from 0 up to 1, 1 excluded. */
  readonly random: () => number;
  /** The app's log; never log secrets. */
  readonly log: Logger;
}

/** An opened broker. */
export interface Broker {
  /** The producer of the broker. */
  readonly producer: Producer;
  /** Creates a consumer, without I/O before its `start`. Never throws. */
  consumer(options: ConsumerOptions): Consumer;
  /**
   * Registers the groups of all subscriptions before the app listens, so that they receive the messages sent from then on. The start waits for it; after a failure
   * `topology` and the consumers register them. Only for a broker on the app's database.
   */
  register?(spec: Topology): Promise<void>;
  /**
   * Verifies or creates the declared topology. Resolves with the problems, for operators; empty if there are none.
   *
   * Rejects if the broker cannot be queried. May be called repeatedly.
   *
   * @param signal aborts the wait for created topics and queues when the app stops
   */
  topology(spec: Topology, mode: "verify" | "create", signal?: AbortSignal): Promise<readonly string[]>;
  /** Removes a group of a topic with its waiting messages. Resolves with whether it existed. Only for a broker without its own tools. */
  endGroup?(topic: string, group: string): Promise<boolean>;
  /** Checks that the broker responds; otherwise rejects. Resolves with details for operators. `signal` aborts at the time limit. */
  health(signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  /** Closes every connection; called after all consumers are closed. */
  close(): Promise<void>;
}

/** Result of sending one message. */
export type SendResult =
  | { readonly ok: true; readonly partition?: string | undefined; readonly offset?: string | undefined }
  | {
      readonly ok: false;
      readonly error: Error;
      /** Whether the same message may succeed later. */
      readonly isRetryable: boolean;
    };

/** Options of `Producer.send`. */
export interface SendOptions {
  /** Aborts at the time limit of the send; messages without a confirmation then fail as retryable. */
  readonly signal: AbortSignal;
}

/** Sends messages to a broker. */
export interface Producer {
  /**
   * Sends messages. Resolves when the broker has confirmed or refused each of them, with one result per message in the same order. Never rejects.
   *
   * Messages of one topic and key are stored in the order of the list, after the messages of earlier calls that have resolved. After a failure no later message of the
   * list with the same topic and key is stored.
   */
  send(messages: readonly OutgoingMessage[], options: SendOptions): Promise<readonly SendResult[]>;
  /** Sends in a transaction of the app's database: nothing is delivered before the commit. Only for a broker on the app's database. */
  sendIn?(tx: Transaction, messages: readonly OutgoingMessage[]): Promise<void>;
}

/** Options of `Broker.consumer`. */
export interface ConsumerOptions {
  /** Names of topics; with `pattern` only topics that messaging adds. */
  readonly topics: readonly string[];
  /**
   * Also consumes all matching topics, except `deadLetterTopic` and the dead-letter and retry topics of any group, `*.<group>.dlq` and `*.<group>.retry.*`:
   * subscriptions would consume their own dead letters. Only with the capability `patterns`.
   */
  readonly pattern: RegExp | null;
  /** Dead-letter topic of the subscription, which `pattern` never matches. @default none */
  readonly deadLetterTopic?: string | undefined;
  /** Consumers of one group share the messages. */
  readonly group: string;
  /** Order that the subscription needs: one of the capability `orders`, or `none`. */
  readonly order: "none" | "key" | "partition";
  /** Maximum unsettled deliveries of this consumer; with cumulative settlement, of each partition. */
  readonly prefetch: number;
  /** Maximum number of messages of one handler call. If the broker itself limits unsettled deliveries, the limit must be at least this, or a batch never fills. @default 1 */
  readonly batchSize?: number | undefined;
  /** Position at which a new group begins; `latest` only with the capability `replay`. */
  readonly from: "earliest" | "latest";
  /** Whether the topics belong to this process and are removed when it ends. Only with the capability `privateTopics`. */
  readonly isPrivate: boolean;
  /** Time limit of a handler in milliseconds, for brokers that limit the time until an acknowledgement. */
  readonly timeoutMs: number;
  /** Receives the deliveries. */
  readonly sink: Sink;
}

/** Consumes messages of one group. */
export interface Consumer {
  /** Connects and begins to fetch; retries with backoff while the broker is unavailable. Never throws; reports failures to `sink.state`. */
  start(): void;
  /** Fetches nothing until `resume`. Unsettled deliveries stay held. */
  pause(): void;
  /** Resumes fetching. */
  resume(): void;
  /** Ends fetching. Resolves when nothing more is delivered. Unsettled deliveries stay held and can be settled. */
  stop(): Promise<void>;
  /**
   * Settles deliveries. Resolves with the deliveries that this consumer no longer held: they count as lost.
   *
   * Rejects if the broker could not be reached; messaging repeats the call until it succeeds or the deliveries are lost.
   */
  settle(settlements: readonly Settlement[]): Promise<readonly Delivery[]>;
  /**
   * Settles a delivery as done in a transaction of the app's database, together with the handler's writes. Only for a broker on the app's database.
   *
   * @throws if it is no longer held; the transaction must be rolled back
   */
  settleIn?(tx: Transaction, delivery: Delivery): Promise<void>;
  /** Resolves with the number of messages of the group that wait at the broker; `null` if unknown. */
  lag(): Promise<number | null>;
  /**
   * Resolves with the number of due messages that this consumer could fetch but does not; 0 if unknown. Delayed messages and messages of other consumers are not
   * overdue. A consumer with room that has overdue messages for a minute is reported as stalled.
   */
  overdue(): Promise<number>;
  /** Stops, then leaves the group. Unsettled messages are delivered again in order, at once if the broker supports that. */
  close(): Promise<void>;
}

/** Declared topics and subscriptions, for `Broker.topology`. */
export interface Topology {
  /** Topics that the app sends to or subscribes to. */
  readonly topics: readonly string[];
  /** Subscriptions. */
  readonly subscriptions: readonly {
    readonly topics: readonly string[];
    readonly group: string;
    readonly order: ConsumerOptions["order"];
    readonly from: ConsumerOptions["from"];
    /** Dead-letter topic; `null` if dead letters are parked in the database. */
    readonly deadLetterTopic: string | null;
    /** Retry topics with their delays; empty unless the broker has the capability `retryTopics`. */
    readonly retryTopics: readonly { readonly topic: string; readonly delayMs: number }[];
    /** Maximum number of tries. If the broker limits deliveries itself, its limit must be higher. */
    readonly maxTries: number;
  }[];
}
