/** Initial size of the buffer in bytes; it doubles as needed. */
const INITIAL_BYTES = 65_536;
/** Maximum length of a text that is copied character by character, which is faster than a native call for short texts. */
const MAX_SHORT_LENGTH = 48;

/** Writes protobuf's wire format into one growing buffer. Lengths of nested messages are filled in when they end. */
export class ProtoWriter {
  private buffer: Buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  private at = 0;

  /** Discards the written bytes but keeps the buffer. */
  clear(): void {
    this.at = 0;
  }

  /** Number of written bytes. */
  get length(): number {
    return this.at;
  }

  /** Discards the bytes after the first `length`, such as those of a message that could not be completed. */
  truncate(length: number): void {
    this.at = length;
  }

  /** Returns a copy of the written bytes. */
  copy(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.buffer, 0, this.at);
  }

  /** Writes the bytes of another writer. */
  append({ buffer, at }: ProtoWriter): void {
    this.reserve(at);
    buffer.copy(this.buffer, this.at, 0, at);
    this.at += at;
  }

  /** Begins a nested message; pass the returned start to `end`. */
  begin(tag: number): number {
    this.varint(tag);
    this.reserve(1);
    return ++this.at;
  }

  /** Ends a nested message. */
  end(start: number): void {
    const length = this.at - start;
    if (length <= 127) {
      this.buffer[start - 1] = length;
      return;
    }
    const more = varintLength(length) - 1;
    this.reserve(more);
    this.buffer.copyWithin(start + more, start, this.at);
    this.at = start - 1;
    this.varint(length);
    this.at += length;
  }

  /** Writes a whole number from 0 to 2^53. */
  varint(value: number): void {
    this.reserve(10);
    this.varintWithin(value);
  }

  /** Writes into reserved memory. */
  private varintWithin(value: number): void {
    if (value <= 127) {
      this.buffer[this.at++] = value;
      return;
    }
    let rest = value;
    while (rest > 127) {
      this.buffer[this.at++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.buffer[this.at++] = rest;
  }

  /** Writes an int64, which for negative numbers has ten bytes. */
  int64(value: number): void {
    if (value >= 0) return this.varint(value);
    let rest = BigInt.asUintN(64, BigInt(value));
    this.reserve(10);
    for (; rest > 127n; rest >>= 7n) this.buffer[this.at++] = Number(rest & 127n) | 128;
    this.buffer[this.at++] = Number(rest);
  }

  double(value: number): void {
    this.reserve(8);
    this.at = this.buffer.writeDoubleLE(value, this.at);
  }

  /** Writes a fixed32. */
  fixed32(value: number): void {
    this.reserve(4);
    const { buffer } = this;
    const bits = value | 0;
    buffer[this.at++] = bits & 255;
    buffer[this.at++] = (bits >>> 8) & 255;
    buffer[this.at++] = (bits >>> 16) & 255;
    buffer[this.at++] = bits >>> 24;
  }

  /** Writes seconds and nanoseconds as nanoseconds in a fixed64, in parts, because the product exceeds 2^53. */
  nanos([seconds, nanos]: readonly [number, number]): void {
    const units = Math.floor(seconds / 65_536); // one unit is 2^16 seconds; remainders are subtractions, because `%` of large numbers is slow
    const upper = units * 1_000_000_000; // times 2^16
    const lower = (seconds - units * 65_536) * 1_000_000_000 + nanos;
    const [upperHigh, lowerHigh] = [Math.floor(upper / 65_536), Math.floor(lower / TWO_32)];
    const low = lower - lowerHigh * TWO_32 + (upper - upperHigh * 65_536) * 65_536;
    this.fixed32(low); // its last 32 bits
    this.fixed32(upperHigh + lowerHigh + Math.floor(low / TWO_32));
  }

  /** Writes bytes given as hexadecimal digits. */
  hex(tag: number, digits: string): void {
    const bytes = digits.length / 2;
    this.reserve(bytes + 20);
    this.varintWithin(tag);
    this.varintWithin(bytes);
    this.at += this.buffer.write(digits, this.at, bytes, "hex");
  }

  text(tag: number, text: string): void {
    this.reserve(MAX_SHORT_LENGTH + 12);
    this.varintWithin(tag);
    if (text.length > MAX_SHORT_LENGTH || !this.shortText(text)) this.encodedText(text);
  }

  /** Writes encoded bytes unchanged. */
  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.buffer.set(bytes, this.at);
    this.at += bytes.length;
  }

  /** Writes the length of bytes, then the bytes. */
  bytes(bytes: Uint8Array): void {
    this.varint(bytes.length);
    this.raw(bytes);
  }

  /** Writes an ASCII text into reserved memory; returns false and writes nothing for any other text. */
  private shortText(text: string): boolean {
    const { buffer } = this;
    let { at } = this;
    buffer[at++] = text.length;
    for (let character = 0; character < text.length; character++) {
      const code = text.charCodeAt(character);
      if (code > 127) return false;
      buffer[at++] = code;
    }
    this.at = at;
    return true;
  }

  private encodedText(text: string): void {
    const length = Buffer.byteLength(text);
    this.varint(length);
    this.reserve(length);
    this.at += this.buffer.write(text, this.at);
  }

  private reserve(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.at + bytes));
    larger.set(this.buffer.subarray(0, this.at));
    this.buffer = larger;
  }
}

const TWO_32 = 2 ** 32;

const varintLength = (value: number): number => {
  let bytes = 1;
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
};
