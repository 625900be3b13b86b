import type { InferOutput, Invocation, StandardSchema } from "@framework/core";
import type { Transaction } from "@framework/database";
import type { WireHeaders } from "../port/delivery.ts";

/** A received message: an event of CloudEvents 1.0 with validated data. */
export interface Message<Data = unknown, Type extends string = string> {
  /** Unique for its `source`. */
  readonly id: string;
  /** Type of the event, such as `book.created`. */
  readonly type: Type;
  /** Context of the event: a URI reference. */
  readonly source: string;
  /** Subject of the event within its source; `null` for none. */
  readonly subject: string | null;
  /** Time of the event, as RFC 3339; `null` if unknown. */
  readonly time: string | null;
  /** Key that orders messages if the subscription has `order: "key"`; `null` for none. */
  readonly key: string | null;
  /** Output of the schema; bytes (`Uint8Array`) for content other than JSON. */
  readonly data: Data;
  /**
   * Other headers, with lower-case names. Extension attributes of the event, such as `tenant`, are `ce_tenant` on every broker; `content-type` is set if the data
   * is not JSON.
   */
  readonly headers: WireHeaders;
  /** Number of this try, from 1. */
  readonly attempt: number;
  /** Broker, topic, group and position. */
  readonly meta: MessageMeta;
  /** Aborts at the time limit (MESSAGING_TIMEOUT), and when the broker gives the message to another consumer or a drain ends (MESSAGING_LOST). */
  readonly signal: AbortSignal;
}

/** Broker, topic, group and position of a message. */
export interface MessageMeta {
  /** Name of the broker in the app. */
  readonly broker: string;
  /** Technology of the broker, as OpenTelemetry names it: `kafka`, `rabbitmq`, `aws_sqs`, `database`, `memory`. */
  readonly system: string;
  /** Name of the topic. */
  readonly topic: string;
  /** Group of the subscription. */
  readonly group: string;
  /** `null` for a broker without partitions. */
  readonly partition: string | null;
  /** Decimal number; `null` for a broker without offsets. */
  readonly offset: string | null;
  /** Whether it may have been delivered before. */
  readonly isRedelivered: boolean;
}

/**
 * Decisions of a handler other than returning (acknowledges) and throwing (retries). The first decision counts, even if the handler throws after it; that
 * is logged as a warning.
 */
export interface MessageContext {
  /** Acknowledges the message; for `ack: "manual"`. With the inbox, throwing after it rolls back the transaction, and the message is tried again. */
  ack(): void;
  /**
   * Requests another try.
   *
   * @param options.delayMs delay in milliseconds, at most 7 days; above 1 s, or after the quick tries, the message waits at the broker if that supports it. @default the delay of the retry policy
   * @throws MESSAGING_BAD_CONFIG for an invalid delay
   */
  retry(options?: { readonly delayMs?: number }): void;
  /** Makes the message a dead letter at once. */
  reject(reason: string): void;
  /**
   * The transaction of the inbox: its writes are committed together with the mark that the message is done, or not at all.
   *
   * @throws MESSAGING_BAD_CONFIG without `dedupe: "inbox"`
   */
  readonly tx: Transaction;
  /** The invocation, including the identified sender. */
  readonly invocation: Invocation;
}

/** Schemas by type. */
export type Schemas = Readonly<Record<string, StandardSchema>>;

/** The message of a subscription with a schema, or the union of the messages of its schemas by type. */
export type MessageOf<S> = S extends StandardSchema
  ? Message<InferOutput<S>>
  : S extends Schemas
    ? { [Type in keyof S & string]: Message<InferOutput<S[Type]>, Type> }[keyof S & string]
    : Message;
