import type { ReplyEnd } from "./shot.ts";

/** The received bytes are not the expected reply. */
export class UnexpectedReply extends Error {}

/** Counts whole replies in the bytes of a connection; of each it looks at the status only. */
export class ReplyCounter {
  private readonly end: ReplyEnd;
  /** Bytes of the reply that is arriving. */
  private seen = 0;
  /** The last bytes of a chunked reply, which may come in pieces. */
  private tail = "";

  constructor(end: ReplyEnd) {
    this.end = end;
  }

  /**
   * Takes the first `length` bytes of a buffer and returns the number of replies that ended in them.
   *
   * @throws UnexpectedReply for a status other than 200
   */
  push(buffer: Uint8Array, length: number): number {
    if (this.end.kind === "last chunk") return this.pushChunked(buffer, length, this.end.atLeast);
    const { bytes } = this.end;
    let ended = 0;
    for (let at = 0; at < length;) {
      if (this.seen === 0 && length - at >= 12) checkStatus(buffer, at);
      const taken = Math.min(bytes - this.seen, length - at);
      at += taken;
      this.seen += taken;
      if (this.seen < bytes) break;
      this.seen = 0;
      ended++;
    }
    return ended;
  }

  private pushChunked(buffer: Uint8Array, length: number, atLeast: number): number {
    if (this.seen === 0 && length >= 12) checkStatus(buffer, 0);
    this.seen += length;
    if (this.seen < atLeast) return 0;
    const last = String.fromCharCode(...buffer.subarray(Math.max(0, length - 5), length));
    this.tail = (this.tail + last).slice(-5);
    if (this.tail !== "0\r\n\r\n") return 0;
    this.seen = 0;
    this.tail = "";
    return 1;
  }
}

/** `HTTP/1.1 200`: the status begins at byte 9. */
const checkStatus = (buffer: Uint8Array, at: number): void => {
  if (buffer[at + 9] === 0x32 && buffer[at + 10] === 0x30 && buffer[at + 11] === 0x30) return;
  throw new UnexpectedReply(`not a 200: ${String.fromCharCode(...buffer.subarray(at, at + 60))}`);
};
