/** Header fields: lower-case names, text values, without a prototype. */
export type WireHeaders = Readonly<Record<string, string>>;

/** A message on its way to a broker. Its envelope is complete: an adapter stores headers and body, and adds nothing. */
export interface OutgoingMessage {
  /** The topic, queue or exchange. */
  readonly topic: string;
  /** Id of the event; a broker that removes duplicates takes it. */
  readonly id: string;
  /** Messages of the same key stay in order; `null` for none. */
  readonly key: string | null;
  /** Includes `content-type`, which an adapter may keep as a property of the broker. */
  readonly headers: WireHeaders;
  /** Text is UTF-8; bytes are stored unchanged. */
  readonly body: string | Uint8Array;
  /** Earliest delivery, in milliseconds from now; at most `maxDelayMs` of the capabilities. */
  readonly delayMs: number;
  /** Of a dead letter or a delayed try: `original` of its delivery. */
  readonly original?: Original | undefined;
}

/** What key and headers of a message cannot hold as text. */
export interface Original {
  /** Bytes that it keeps in memory. */
  readonly bytes: number;
}

/** A message that a broker handed over. Its identity is the object: settle with the same one. */
export interface Delivery {
  /** Where it was read. */
  readonly topic: string;
  /** The broker's own id of the message, the same each time it is delivered: the id of a raw message without a header `message-id`. @default none, and a raw message without an offset gets a new id */
  readonly id?: string;
  /** Part of the topic in which the broker keeps the order; `null` where it has none. */
  readonly partition: string | null;
  /** Decimal number that grows within the partition; `null` where there is none. */
  readonly offset: string | null;
  /** The key that it was sent with. */
  readonly key: string | null;
  /** As they were sent; names in lower case. */
  readonly headers: WireHeaders;
  /** As it was sent. Bytes that are not UTF-8 must stay bytes. */
  readonly body: string | Uint8Array;
  /** For copies of the message at its own broker. @default nothing */
  readonly original?: Original | undefined;
  /**
   * Tries that were made before, as the last settlement with `retry` said, if the broker keeps that number; else `null`.
   */
  readonly tries: number | null;
  /** How often the broker has handed this message over, this time included, if it counts; else `null`. */
  readonly deliveries: number | null;
  /** Whether it may have been delivered before. */
  readonly isRedelivered: boolean;
  /** When the broker took it, in milliseconds since 1970; `null` when unknown. */
  readonly sentAt: number | null;
}

/** What becomes of a delivery. */
export type Settlement =
  | {
      readonly delivery: Delivery;
      /** It is never delivered to the group again; with cumulative settlement, neither is any before it in its partition. */
      readonly action: "done";
    }
  | {
      readonly delivery: Delivery;
      /** It is delivered again. Never used with cumulative settlement. */
      readonly action: "retry";
      /** At most `maxRetryDelayMs` of the capabilities. 0 for at once. */
      readonly delayMs: number;
      /** Tries made so far: `tries` of the next delivery, if the broker keeps it. */
      readonly tries: number;
    };
