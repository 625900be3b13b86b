/** A reply's body: text, bytes, a stream, or none. */
export type Payload = string | Uint8Array | BodyStream | null;

/** A body that is produced while it is sent: pulled chunk by chunk, `return()` called when the client goes away. */
export class BodyStream {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Total length in bytes when it is known beforehand, else `null`. */
  readonly length: number | null;

  constructor(chunks: AsyncIterable<Uint8Array>, length: number | null = null) {
    this.chunks = chunks;
    this.length = length;
  }

  /** Gives up the body: who drops a reply, or answers HEAD, lets the source free what it holds. Harmless after the end. */
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

/** Bytes that a string takes in UTF-8; a lone surrogate counts as the replacement character that stands for it. */
export const utf8Length = (text: string): number => {
  if (text === last.text) return last.bytes;
  const bytes = beyondAscii.test(text) ? countBytes(text) : text.length;
  if (text.length <= maxRemembered) {
    last.text = text;
    last.bytes = bytes;
  }
  return bytes;
};

/** The text asked for last: several ask for one body, and bodies come again. */
const last = { text: "", bytes: 0 };
const maxRemembered = 1024;

const countBytes = (text: string): number => {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isSurrogatePair(text, index)) {
      bytes += 2;
      index++;
    } else bytes += 2;
  }
  return bytes;
};

/** Most bodies hold none, and this is known three times as fast as the loop would know it. */
const beyondAscii = /[\x80-\uffff]/;

const isSurrogatePair = (text: string, index: number): boolean =>
  (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
