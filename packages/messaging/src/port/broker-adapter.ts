import type { Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import type { Capabilities } from "./capabilities.ts";
import type { Delivery, OutgoingMessage, Settlement } from "./delivery.ts";
import type { Sink } from "./sink.ts";

/**
 * A broker that messaging can run on. An adapter fetches, settles and sends; retries, order, dead letters, inbox, schemas and drain are in messaging.
 *
 * `docs/adapters.md` has what each member promises; `brokerContract` of `@framework/messaging/testing` tests it.
 */
export interface BrokerAdapter {
  /** The technology: `kafka`, `rabbitmq`. Also the attribute `messaging.system` of traces, where `sqs` is `aws_sqs`. */
  readonly name: string;
  /** What the broker can do. */
  readonly capabilities: Capabilities;
  /** Addresses for the API document, never with credentials. @default none */
  readonly servers?: readonly {
    /** `host:port`. */
    readonly host: string;
    /** Protocol as AsyncAPI names it: `kafka`, `kafka-secure`, `amqp`, `amqps`, `sqs`. */
    readonly protocol: string;
  }[];
  /** Opens the broker for one process, without I/O: it connects on first use, and again for as long as it is open. Never throws. */
  open(context: BrokerContext): Broker;
}

/** What an app gives its brokers. */
export interface BrokerContext {
  /** Name of the broker in the app. */
  readonly name: string;
  /** Unique id of this process. */
  readonly instance: string;
  /** Time and timers. */
  readonly clock: Clock;
  /** Random numbers from 0 up to 1. */
  readonly random: () => number;
  /** Destination of log lines; never a secret. */
  readonly log: Logger;
}

/** A broker of one process. */
export interface Broker {
  /** Sends messages. */
  readonly producer: Producer;
  /** Creates a consumer; nothing happens before its `start`. Never throws. */
  consumer(options: ConsumerOptions): Consumer;
  /**
   * Makes the groups of all subscriptions known before the app listens, so that they get what is sent from then on. The start waits for it; after a failure
   * `topology` and the consumers do it. Only for a broker on the app's database.
   */
  register?(spec: Topology): Promise<void>;
  /**
   * Verifies or creates what the program declared. Returns what is wrong, in sentences for operators.
   *
   * Rejects when the broker cannot be asked. It may be called again.
   *
   * @param signal ends the wait for what was created, when the app stops
   */
  topology(spec: Topology, mode: "verify" | "create", signal?: AbortSignal): Promise<readonly string[]>;
  /** Removes a group of a topic, with the messages that wait for it, and returns whether there was one. Only for a broker without tools of its own. */
  endGroup?(topic: string, group: string): Promise<boolean>;
  /** Asks the broker for a sign of life; rejects without one. Details are for operators. `signal` aborts at the time limit. */
  health(signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  /** Closes every connection; consumers were closed before. */
  close(): Promise<void>;
}

/** Result of one sent message. */
export type SendResult =
  | { readonly ok: true; readonly partition?: string | undefined; readonly offset?: string | undefined }
  | {
      readonly ok: false;
      readonly error: Error;
      /** Whether the same message may succeed later. */
      readonly isRetryable: boolean;
    };

/** Options of one send. */
export interface SendOptions {
  /** Aborts at the time limit of the send; messages without a confirmation then fail as retryable. */
  readonly signal: AbortSignal;
}

/** Sends messages. */
export interface Producer {
  /**
   * Sends messages and resolves when the broker has confirmed each of them or refused it; one result per message, in the same order. Never rejects.
   *
   * Messages of one topic and key are stored in the order of the list, behind those of earlier calls that have resolved. After a failure no later message
   * of the same topic and key is stored before the caller sends it again.
   */
  send(messages: readonly OutgoingMessage[], options: SendOptions): Promise<readonly SendResult[]>;
  /** Sends in a transaction of the app's database; only for a broker on it. Nothing is delivered before the commit. */
  sendIn?(tx: Transaction, messages: readonly OutgoingMessage[]): Promise<void>;
}

/** What a consumer gets. */
export interface ConsumerOptions {
  /** Topics by name; with `pattern` those of messaging's own. */
  readonly topics: readonly string[];
  /**
   * Also all topics that match, other than `deadLetterTopic` and those of dead letters and delayed tries of any group, `*.<group>.dlq` and
   * `*.<group>.retry.*`: subscriptions would consume what they send. Only with the capability `patterns`.
   */
  readonly pattern: RegExp | null;
  /** Where the dead letters of the subscription go: `pattern` never matches it. @default none */
  readonly deadLetterTopic?: string | undefined;
  /** Consumers of one group share the messages. */
  readonly group: string;
  /** The order that the subscription needs: one of the capabilities, or `none`. */
  readonly order: "none" | "key" | "partition";
  /** Most deliveries that may be unsettled at this consumer; with cumulative settlement, for each partition. */
  readonly prefetch: number;
  /** Messages of one call of the handler: a limit of the broker's own lets so many be unsettled, or a batch never fills. @default 1 */
  readonly batchSize?: number | undefined;
  /** Where a new group begins; `earliest` only with the capability `replay`. */
  readonly from: "earliest" | "latest";
  /** Whether the topics are this process's own and vanish with it. Only with the capability `privateTopics`. */
  readonly isPrivate: boolean;
  /** Time limit of a handler in milliseconds, for brokers that limit the time of an acknowledgement. */
  readonly timeoutMs: number;
  /** Takes the deliveries. */
  readonly sink: Sink;
}

/** Gets messages of one group. */
export interface Consumer {
  /** Connects and begins to fetch; again and again, with growing pauses, while the broker is away. Never throws; failures go to `sink.state`. */
  start(): void;
  /** Fetches nothing until `resume`. What was handed over stays held. */
  pause(): void;
  /** Fetches again. */
  resume(): void;
  /**
   * Ends fetching for good, and resolves when nothing is handed over any more. What was handed over stays held, and can be settled.
   */
  stop(): Promise<void>;
  /**
   * Settles deliveries and resolves with those that this consumer did not hold any more: they count as lost.
   *
   * Rejects when the broker could not be asked; messaging repeats the call until the deliveries are lost.
   */
  settle(settlements: readonly Settlement[]): Promise<readonly Delivery[]>;
  /**
   * Settles a delivery as done in a transaction of the app's database; only for a broker on it. The effect and the settlement are then committed together.
   *
   * @throws when it is not held any more; the transaction must be undone
   */
  settleIn?(tx: Transaction, delivery: Delivery): Promise<void>;
  /** Messages of the group that wait at the broker; `null` when it cannot say. */
  lag(): Promise<number | null>;
  /**
   * Messages that are due, that this consumer could have, and that it does not fetch; 0 when the broker cannot say. Messages that wait for their time or for
   * another consumer are not overdue: a consumer that has room, and overdue messages for a minute, is reported as stalled.
   */
  overdue(): Promise<number>;
  /** Leaves the group. What was not settled is delivered again, in its order, at once where the broker can. Stops first, if that has not happened. */
  close(): Promise<void>;
}

/** What a program declared, for `topology`. */
export interface Topology {
  /** Topics that are sent to or subscribed to. */
  readonly topics: readonly string[];
  /** Subscriptions. */
  readonly subscriptions: readonly {
    readonly topics: readonly string[];
    readonly group: string;
    readonly order: ConsumerOptions["order"];
    readonly from: ConsumerOptions["from"];
    /** Where dead letters go; `null` when they are parked in the database. */
    readonly deadLetterTopic: string | null;
    /** Topics for delayed retries, with their delays; none unless the broker has the capability `retryTopics`. */
    readonly retryTopics: readonly { readonly topic: string; readonly delayMs: number }[];
    /** Longest number of tries, for brokers that limit deliveries by themselves: their limit must be above. */
    readonly maxTries: number;
  }[];
}
