const CR = 0x0d;
const NEAR = 32;

/**
 * Finds `CRLF--boundary` in content that arrives in chunks, in linear time and without holding bytes back.
 *
 * A boundary has no CR, so the delimiter has one only in front: after a mismatch no byte that was compared can begin a delimiter, and the bytes
 * of a delimiter that a chunk's end cuts off are known by their number.
 */
export class DelimiterSearch {
  private readonly delimiter: Uint8Array;
  /** Bytes of a delimiter at the end of what was searched; the CRLF in front of a whole body counts as seen. */
  private matched = 2;

  constructor(boundary: string) {
    this.delimiter = new TextEncoder().encode(`\r\n--${boundary}`);
  }

  /**
   * Searches a chunk from an index on and gives the index behind the delimiter, or -1 when the chunk is used up; `emit` gets the content in front
   * of the delimiter, in order.
   */
  search(chunk: Uint8Array, from: number, emit: (content: Uint8Array) => void): number {
    let at = from;
    const begun = this.matched;
    if (begun > 0) {
      at = this.compare(chunk, from);
      if (this.isComplete()) return at;
      if (at === chunk.length) return -1;
      emit(this.delimiter.slice(0, begun));
      this.matched = 0;
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

  /** Goes on comparing with the delimiter; gives the index of the first byte that was not equal or not needed. */
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

/** The built-in search is fast over distance but dear to call, so that content full of CRs is looked through by hand. */
const indexOfCr = (bytes: Uint8Array, from: number): number => {
  const near = Math.min(from + NEAR, bytes.length);
  for (let at = from; at < near; at++) if (bytes[at] === CR) return at;
  return near === bytes.length ? -1 : bytes.indexOf(CR, near);
};
