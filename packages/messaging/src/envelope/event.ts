import type { WireHeaders } from "../port/delivery.ts";

/** An event with the attributes of CloudEvents 1.0. */
export interface Event {
  /** Unique for its `source`. */
  readonly id: string;
  /** What happened, such as `book.created`. */
  readonly type: string;
  /** Where it happened: a URI reference. */
  readonly source: string;
  /** What it is about; `null` for none. */
  readonly subject: string | null;
  /** When it happened, as RFC 3339; `null` when unknown. */
  readonly time: string | null;
  /** The key of order: the extension attribute `partitionkey`; `null` for none. */
  readonly key: string | null;
  /** JSON data; bytes (`Uint8Array`) for another content type. */
  readonly data: unknown;
  /** Headers other than attributes, such as `traceparent`. */
  readonly headers: WireHeaders;
}

/** Headers without a prototype: names come from outside. */
export const newHeaders = (): Record<string, string> => Object.create(null) as Record<string, string>;
