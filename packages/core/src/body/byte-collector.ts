const MIN_CAPACITY = 4096;
const MAX_FIRST_CAPACITY = 1_048_576;

/**
 * Joins chunks into one array of exact length, in linear time for chunks of any size.
 *
 * A single chunk is not copied, so the caller must not reuse its memory. An expected length of up to 1 MiB is allocated at once; for a
 * longer one the buffer grows with the bytes, because a client can declare any length.
 */
export class ByteCollector {
  length = 0;
  private bytes: Uint8Array = new Uint8Array(0);
  private readonly expected: number | null;

  constructor(expected: number | null = null) {
    this.expected = expected;
  }

  append(chunk: Uint8Array): void {
    if (chunk.byteLength === 0) return;
    const length = this.length + chunk.byteLength;
    if (this.length === 0) this.bytes = chunk;
    else {
      if (length > this.bytes.byteLength) this.grow(length);
      this.bytes.set(chunk, this.length);
    }
    this.length = length;
  }

  /** Returns all bytes appended so far. */
  join(): Uint8Array {
    return this.bytes.byteLength === this.length ? this.bytes : this.bytes.slice(0, this.length);
  }

  private grow(needed: number): void {
    const doubled = Math.max(2 * needed, MIN_CAPACITY);
    const capacity =
      this.expected === null ? doubled : Math.min(this.expected, Math.max(doubled, MAX_FIRST_CAPACITY));
    const larger = new Uint8Array(Math.max(needed, capacity));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}
