/** Headers: lower-case names, string values, no prototype. */
export type WireHeaders = Readonly<Record<string, string>>;

/** An encoded message to send. It is complete: an adapter stores headers and body and adds nothing. */
export interface OutgoingMessage {
  /** Name of the topic. */
  readonly topic: string;
  /** Id of the event, for brokers that remove duplicates. */
  readonly id: string;
  /** Messages of the same key stay in order; `null` for none. */
  readonly key: string | null;
  /** Includes `content-type`, which an adapter may keep as a property of the broker. */
  readonly headers: WireHeaders;
  /** A string is stored as UTF-8; bytes are stored unchanged. */
  readonly body: string | Uint8Array;
  /** Earliest delivery, in milliseconds from now; at most `maxDelayMs` of the capabilities. */
  readonly delayMs: number;
  /** `original` of the delivery that a dead letter or delayed try was copied from. */
  readonly original?: Original | undefined;
}

/** Data of a message that strings cannot represent, such as a binary key. */
export interface Original {
  /** Size in memory. */
  readonly bytes: number;
}

/** A delivered message. Identified by the object: settle with the same object. */
export interface Delivery {
  /** Topic that it was read from. */
  readonly topic: string;
  /** The broker's id of the message, the same for each delivery. Used as the id of a raw message without a header `message-id`. @default topic, partition and offset; without an offset a new id for each delivery */
  readonly id?: string;
  /** Partition of the topic; `null` for a broker without partitions. */
  readonly partition: string | null;
  /** Decimal number that grows within the partition; `null` for a broker without offsets. */
  readonly offset: string | null;
  /** Key of the message; `null` for none. */
  readonly key: string | null;
  /** Headers as sent, with lower-case names. */
  readonly headers: WireHeaders;
  /** Body as sent. Bytes that are not UTF-8 must stay bytes. */
  readonly body: string | Uint8Array;
  /** Data that strings cannot represent, for dead letters and delayed tries on the same broker. @default none */
  readonly original?: Original | undefined;
  /**
   * `tries` of the last settlement with `retry` if the broker stores it, 0 before the first one; `null` if the broker does not store it.
   */
  readonly tries: number | null;
  /** Number of deliveries of this message, including this one; `null` if the broker does not count them. */
  readonly deliveries: number | null;
  /** Whether it may have been delivered before. */
  readonly isRedelivered: boolean;
  /** Time at which the broker stored it, in Unix milliseconds; `null` if unknown. */
  readonly sentAt: number | null;
}

/** Decision on a delivery. */
export type Settlement =
  | {
      readonly delivery: Delivery;
      /** Not delivered to the group again, nor, with cumulative settlement, any earlier delivery of its partition. */
      readonly action: "done";
    }
  | {
      readonly delivery: Delivery;
      /** Delivered again. Never used with cumulative settlement. */
      readonly action: "retry";
      /** Delay in milliseconds, at most `maxRetryDelayMs` of the capabilities; 0 for an immediate delivery. */
      readonly delayMs: number;
      /** Tries made so far: `tries` of the next delivery if the broker stores it. */
      readonly tries: number;
    };
