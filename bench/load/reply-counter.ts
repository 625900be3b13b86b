import type { ReplyEnd } from "./shot.ts";

const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;

/** The received bytes are not the expected reply. */
export class UnexpectedReply extends Error {}

/** Counts complete replies in the bytes of a connection; checks only their status. */
export class ReplyCounter {
  private readonly end: ReplyEnd;
  private readonly status: string;
  /** Bytes of the reply that is arriving. */
  private seen = 0;
  /** The last bytes of a chunked reply, which may be split over reads. */
  private tail = "";
  /** Received bytes of the empty line that ends a head; 4 within a body. */
  private lineEnds = 0;

  constructor(end: ReplyEnd, status = 200) {
    this.end = end;
    this.status = String(status);
  }

  /**
   * Reads the first `length` bytes of a buffer and returns the number of replies that ended in them.
   *
   * @throws UnexpectedReply for a status other than the expected one
   */
  push(buffer: Uint8Array, length: number): number {
    if (this.end.kind === "last chunk") return this.pushChunked(buffer, length, this.end.atLeast);
    if (this.end.kind === "body") return this.pushHeaded(buffer, length, this.end.bytes);
    const { bytes, bare = false } = this.end;
    let ended = 0;
    for (let at = 0; at < length;) {
      if (!bare && this.seen === 0 && length - at >= 12) this.checkStatus(buffer, at);
      const taken = Math.min(bytes - this.seen, length - at);
      at += taken;
      this.seen += taken;
      if (this.seen < bytes) break;
      this.seen = 0;
      ended++;
    }
    return ended;
  }

  private pushHeaded(buffer: Uint8Array, length: number, bodyBytes: number): number {
    let ended = 0;
    for (let at = 0; at < length;) {
      if (this.lineEnds < 4) {
        if (this.seen === 0 && length - at >= 12) this.checkStatus(buffer, at);
        this.seen++;
        const expected = this.lineEnds % 2 === 0 ? CARRIAGE_RETURN : LINE_FEED;
        const byte = buffer[at++];
        this.lineEnds = byte === expected ? this.lineEnds + 1 : byte === CARRIAGE_RETURN ? 1 : 0;
        if (this.lineEnds < 4) continue;
        this.seen = 0;
      }
      const taken = Math.min(bodyBytes - this.seen, length - at);
      at += taken;
      this.seen += taken;
      if (this.seen < bodyBytes) break;
      this.seen = 0;
      this.lineEnds = 0;
      ended++;
    }
    return ended;
  }

  private pushChunked(buffer: Uint8Array, length: number, atLeast: number): number {
    if (this.seen === 0 && length >= 12) this.checkStatus(buffer, 0);
    this.seen += length;
    if (this.seen < atLeast) return 0;
    const last = String.fromCharCode(...buffer.subarray(Math.max(0, length - 5), length));
    this.tail = (this.tail + last).slice(-5);
    if (this.tail !== "0\r\n\r\n") return 0;
    this.seen = 0;
    this.tail = "";
    return 1;
  }

  /** `HTTP/1.1 200`: the status begins at byte 9. */
  private checkStatus(buffer: Uint8Array, at: number): void {
    const { status } = this;
    for (let digit = 0; digit < 3; digit++) {
      if (buffer[at + 9 + digit] === status.charCodeAt(digit)) continue;
      throw new UnexpectedReply(`not a ${status}: ${String.fromCharCode(...buffer.subarray(at, at + 60))}`);
    }
  }
}
