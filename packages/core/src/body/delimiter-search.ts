const CR = 0x0d;
const NEAR = 32;
/** Length of the CRLF that belongs to a delimiter; a body, and the content of each part, starts as if one preceded it. */
const IMPLIED = 2;

/**
 * Finds `CRLF--boundary` in content that arrives in chunks, in linear time and without buffering.
 *
 * A boundary contains no CR, so none of the bytes matched after the leading CR can start another delimiter: the search resumes at the mismatching byte. For a
 * delimiter split across chunks, the number of matched bytes is enough state.
 */
export class DelimiterSearch {
  private readonly delimiter: Uint8Array;
  /** Number of delimiter bytes matched at the end of the input so far. */
  private matched: number = IMPLIED;
  /** Number of matched bytes that are implied, so not part of the content. */
  private implied: number = IMPLIED;

  constructor(boundary: string) {
    this.delimiter = new TextEncoder().encode(`\r\n--${boundary}`);
  }

  /** Begins the content of a part: a delimiter may directly follow the empty line after the head (RFC 2046 5.1.1). */
  beginPart(): void {
    this.matched = IMPLIED;
    this.implied = IMPLIED;
  }

  /**
   * Searches a chunk from an index on and returns the index after the delimiter, or -1 at the end of the chunk. `emit` gets the content before the
   * delimiter, in order.
   */
  search(chunk: Uint8Array, from: number, emit: (content: Uint8Array) => void): number {
    let at = from;
    const before = this.matched;
    if (before > 0) {
      at = this.compare(chunk, from);
      if (this.isComplete()) return at;
      if (at === chunk.length) return -1;
      if (before > this.implied) emit(this.delimiter.slice(this.implied, before));
      this.matched = 0;
      this.implied = 0;
    }
    for (at = indexOfCr(chunk, at); at !== -1; at = indexOfCr(chunk, at)) {
      const candidate = at;
      at = this.compare(chunk, candidate);
      const complete = this.isComplete();
      if (complete || at === chunk.length) {
        emit(chunk.subarray(from, candidate));
        return complete ? at : -1;
      }
      this.matched = 0;
    }
    emit(chunk.subarray(from));
    return -1;
  }

  /** Continues to compare with the delimiter; returns the index of the first byte that differs or is not needed. */
  private compare(chunk: Uint8Array, from: number): number {
    let at = from;
    while (at < chunk.length && this.matched < this.delimiter.length) {
      if (chunk[at] !== this.delimiter[this.matched]) break;
      at++;
      this.matched++;
    }
    return at;
  }

  private isComplete(): boolean {
    const complete = this.matched === this.delimiter.length;
    if (complete) this.matched = 0;
    return complete;
  }
}

/** Checks the next 32 bytes in a loop, then uses the built-in search: it is faster over long distances, but a call costs more than a short loop. */
const indexOfCr = (bytes: Uint8Array, from: number): number => {
  const near = Math.min(from + NEAR, bytes.length);
  for (let at = from; at < near; at++) if (bytes[at] === CR) return at;
  return near === bytes.length ? -1 : bytes.indexOf(CR, near);
};
