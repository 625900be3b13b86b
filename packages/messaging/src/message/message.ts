import type { InferOutput, Invocation, StandardSchema } from "@framework/core";
import type { Transaction } from "@framework/database";
import type { WireHeaders } from "../port/delivery.ts";

/** A message that a handler gets: an event of CloudEvents 1.0 with validated data. */
export interface Message<Data = unknown, Type extends string = string> {
  /** Unique for its `source`. */
  readonly id: string;
  /** What happened, such as `book.created`. */
  readonly type: Type;
  /** Where it happened. */
  readonly source: string;
  /** What it is about; `null` for none. */
  readonly subject: string | null;
  /** When it happened, as RFC 3339; `null` when unknown. */
  readonly time: string | null;
  /** Messages of one key are in order where the subscription asks for it; `null` for none. */
  readonly key: string | null;
  /** Output of the schema; bytes (`Uint8Array`) for content other than JSON. */
  readonly data: Data;
  /**
   * Headers other than the attributes above; names in lower case. Other attributes of the event, such as `tenant`, are `ce_tenant` whatever the broker, and
   * `content-type` is that of data that is no JSON.
   */
  readonly headers: WireHeaders;
  /** Number of this try, from 1. */
  readonly attempt: number;
  /** Where it comes from. */
  readonly meta: MessageMeta;
  /** Aborts at the time limit, when the broker gives the message to another consumer, and at the end of a drain. */
  readonly signal: AbortSignal;
}

/** Where a message comes from. */
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
 * What a handler can do with a message, beside returning (acknowledged) and throwing (another try). The first decision counts, also when the handler
 * throws after it; that is logged as a warning.
 */
export interface MessageContext {
  /** Acknowledges the message; needed with `ack: "manual"`. With the inbox, a handler that then throws undoes its transaction, and is tried again. */
  ack(): void;
  /**
   * Asks for another try.
   *
   * @param options.delayMs wait in milliseconds, at most 7 days; above 1 s it waits at the broker where that can. @default the delay of the retry policy
   * @throws MESSAGING_BAD_CONFIG for another delay
   */
  retry(options?: { readonly delayMs?: number }): void;
  /** Makes the message a dead letter at once. */
  reject(reason: string): void;
  /**
   * The transaction of the inbox: what it writes is committed together with the mark that the message is done, or not at all.
   *
   * @throws MESSAGING_BAD_CONFIG without `dedupe: "inbox"`
   */
  readonly tx: Transaction;
  /** The invocation, with the caller that guards saw. */
  readonly invocation: Invocation;
}

/** Schemas by type. */
export type Schemas = Readonly<Record<string, StandardSchema>>;

/** The message of a subscription with a schema, or the union of those of its `schemas`. */
export type MessageOf<S> = S extends StandardSchema
  ? Message<InferOutput<S>>
  : S extends Schemas
    ? { [Type in keyof S & string]: Message<InferOutput<S[Type]>, Type> }[keyof S & string]
    : Message;
