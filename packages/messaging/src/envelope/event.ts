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
  /** Headers other than the attributes above, such as `traceparent`; those of extensions as `ce_<name>`, and the `content-type` of data that is no JSON. */
  readonly headers: WireHeaders;
}

/** Headers without inherited members, as names come from outside: `Object.create(null)` is a dictionary, which V8 makes and reads several times slower. */
export const newHeaders = (): Record<string, string> => new NoPrototype() as Record<string, string>;

const NoPrototype = function () {} as unknown as new () => object; // a function without members of its own
NoPrototype.prototype = Object.freeze(Object.create(null));

/** Headers of a message that has none of its own: one object for all. */
export const noHeaders: WireHeaders = Object.freeze(newHeaders());
