const CR = 0x0d;
const NEAR = 32;
/** Length of the CRLF at the start of a delimiter. A body, and the content of each part, is searched as if a CRLF preceded it. */
const CRLF_LENGTH = 2;

/**
 * Finds `CRLF--boundary` in content that arrives in chunks, in linear time and without buffering.
 *
 * A boundary contains no CR, so none of the bytes matched after the leading CR can start another delimiter: the search resumes at the mismatching byte. For a
 * delimiter split across chunks, the number of matched bytes is enough state.
 */
export class DelimiterSearch {
  private readonly delimiter: Uint8Array;
  /** Number of delimiter bytes matched at the end of the input so far. */
  private matched: number = CRLF_LENGTH;
  /** Number of matched bytes that are implied, so not part of the content. */
  private implied: number = CRLF_LENGTH;

  constructor(boundary: string) {
    this.delimiter = new TextEncoder().encode(`\r\n--${boundary}`);
  }

  /** Begins the content of a part: a delimiter may directly follow the empty line after the head (RFC 2046 5.1.1). */
  beginPart(): void {
    this.matched = CRLF_LENGTH;
    this.implied = CRLF_LENGTH;
  }

  /**
   * Searches a chunk from an index on. Returns the index after the delimiter, or -1 if the chunk ends first. `emit` gets the content before the
   * delimiter, in order.
   */
  search(chunk: Uint8Array, from: number, emit: (content: Uint8Array) => void): number {
    let at = from;
    const before = this.matched;
    if (before > 0) {
      at = this.compare(chunk, from);
      if (this.takeMatch()) return at;
      if (at === chunk.length) return -1;
      if (before > this.implied) emit(this.delimiter.slice(this.implied, before));
      this.matched = 0;
      this.implied = 0;
    }
    for (at = indexOfCr(chunk, at); at !== -1; at = indexOfCr(chunk, at)) {
      const candidate = at;
      at = this.compare(chunk, candidate);
      const complete = this.takeMatch();
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

  /** Returns whether the whole delimiter has matched; if so, resets the match. */
  private takeMatch(): boolean {
    const complete = this.matched === this.delimiter.length;
    if (complete) this.matched = 0;
    return complete;
  }
}

/** Checks the next 32 bytes in a loop, then calls `indexOf`, which is faster over long distances but costs more than a short loop. */
const indexOfCr = (bytes: Uint8Array, from: number): number => {
  const near = Math.min(from + NEAR, bytes.length);
  for (let at = from; at < near; at++) if (bytes[at] === CR) return at;
  return near === bytes.length ? -1 : bytes.indexOf(CR, near);
};
