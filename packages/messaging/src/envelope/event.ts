import type { WireHeaders } from "../port/delivery.ts";

/** An event with the attributes of CloudEvents 1.0. */
export interface Event {
  /** Unique for its `source`. */
  readonly id: string;
  /** Type of the event, such as `book.created`. */
  readonly type: string;
  /** Context of the event: a URI reference. */
  readonly source: string;
  /** Subject of the event within its source; `null` for none. */
  readonly subject: string | null;
  /** Time of the event, as RFC 3339; `null` if unknown. */
  readonly time: string | null;
  /** Key that orders messages: the extension attribute `partitionkey`; `null` for none. */
  readonly key: string | null;
  /** JSON data; bytes (`Uint8Array`) for another content type. */
  readonly data: unknown;
  /** Other headers, such as `traceparent`, extension attributes as `ce_<name>`, and the `content-type` of data that is not JSON. */
  readonly headers: WireHeaders;
}

/** Creates headers without a prototype, because their names are untrusted. V8 creates and reads the dictionary of `Object.create(null)` more slowly. */
export const newHeaders = (): Record<string, string> => new NoPrototype() as Record<string, string>;

const NoPrototype = function () {} as unknown as new () => object; // not a class, whose prototype cannot be replaced
NoPrototype.prototype = Object.freeze(Object.create(null));

/** Headers of every message that has none: one shared object. */
export const noHeaders: WireHeaders = Object.freeze(newHeaders());
