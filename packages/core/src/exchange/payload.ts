/**
 * A reply's body: text (sent as UTF-8), bytes, a stream, or `null` for none.
 *
 * Bytes belong to the transport until the exchange ends: they must not change before that.
 */
export type Payload = string | Uint8Array | BodyStream | null;

/**
 * A body that is produced while it is sent.
 *
 * A transport pulls one chunk at a time, and the next when the socket has room. It calls the iterator's `return()` when the client
 * disconnects or the reply fails, also while a `next()` is pending. An error closes the connection, so that the client does not consider
 * the body complete.
 */
export class BodyStream {
  /** Iterated at most once. A chunk must not be changed before the next is pulled. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /**
   * Exact length in bytes, `null` while unknown. Over a socket, a stream that yields another number of bytes fails with CORE_BAD_REPLY; `app.fetch` passes its
   * bytes on.
   */
  readonly length: number | null;

  constructor(chunks: AsyncIterable<Uint8Array>, length: number | null = null) {
    this.chunks = chunks;
    this.length = length;
  }

  /** Closes the source of a body that will not be sent, as for HEAD or a dropped reply. No effect after the end. */
  async cancel(): Promise<void> {
    await (this.chunks as Partial<AsyncIterator<Uint8Array>>).return?.();
  }
}

/** Length of a body in bytes, `null` while unknown. */
export const payloadLength = (payload: Payload): number | null => {
  if (payload === null) return 0;
  if (typeof payload === "string") return utf8Length(payload);
  return payload instanceof BodyStream ? payload.length : payload.byteLength;
};

/** Length of a string in UTF-8. A lone surrogate counts as the three bytes of U+FFFD, which replaces it. */
export const utf8Length = (text: string): number => {
  if (text === last.text) return last.bytes;
  const bytes = text.length <= SHORT && isAscii(text) ? text.length : byteLength(text);
  if (text.length <= MAX_REMEMBERED) {
    last.text = text;
    last.bytes = bytes;
  }
  return bytes;
};

/**
 * The last text and its length: several layers need the length of the same body, and many replies are equal. Shared by all apps of a process, which
 * is safe because the length depends on the text alone; at most 1,024 characters, replaced by the next text. See `docs/memos.md` for the savings.
 */
const last = { text: "", bytes: 0 };
const MAX_REMEMBERED = 1024;

/** Maximum characters to check in JavaScript: the native call takes about 450 instructions. */
const SHORT = 16;

const isAscii = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
};

const encoder = new TextEncoder();

/** Read once, because the global `Buffer` is a getter in Node; other runtimes may have none. */
const byteLength: (text: string) => number =
  (globalThis as { Buffer?: typeof Buffer }).Buffer?.byteLength ??
  ((text) => encoder.encode(text).byteLength);
