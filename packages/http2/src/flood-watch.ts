import type { Http2Config } from "./http2-config.ts";

/** Overhead bytes allowed per byte of a reply: clients send a window update of 13 bytes every few kilobytes. */
const OVERHEAD_OF_REPLIES = 1 / 64;

/** Counters of a connection's bytes, as the system reports them. */
export interface ByteCounters {
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

/**
 * Detects clients that cause work without requests: pings, settings, and bytes that are neither heads nor bodies, such as window updates, unknown frames and
 * frames of one byte. Counted per second; nghttp2 itself limits resets, CONTINUATION frames and its queue of control frames.
 */
export class FloodWatch {
  private readonly config: Http2Config;
  private readonly counters: ByteCounters;
  private controlFrames = 0;
  private usefulBytes = 0;
  /** Bytes of bodies that may be in transit for closed streams. */
  private closedStreamBytes = 0;
  private read = 0;
  private written = 0;

  constructor(config: Http2Config, counters: ByteCounters) {
    this.config = config;
    this.counters = counters;
  }

  /** Counts a PING or SETTINGS frame. Returns whether there are too many in this second. */
  addControlFrame(): boolean {
    return ++this.controlFrames > this.config.maxControlFramesPerSec;
  }

  /** Counts bytes of a head or a body. */
  addUseful(bytes: number): void {
    this.usefulBytes += bytes;
  }

  /** Exempts the rest of a body whose stream was closed. @param bytes maximum bytes that the client may still send */
  addClosedStreamBytes(bytes: number): void {
    this.closedStreamBytes += bytes;
  }

  /** Starts the next second. Returns whether the last one had too much overhead. */
  tick(elapsedMs: number): boolean {
    const { maxOverheadBytesPerSec, connectionWindowBytes } = this.config;
    const { bytesRead, bytesWritten } = this.counters;
    const overhead = bytesRead - this.read - 2 * this.usefulBytes;
    const replyOverhead = (bytesWritten - this.written) * OVERHEAD_OF_REPLIES;
    this.read = bytesRead;
    this.written = bytesWritten;
    this.usefulBytes = 0;
    this.controlFrames = 0;
    const excess = overhead - replyOverhead - maxOverheadBytesPerSec * Math.max(1, elapsedMs / 1000);
    const isFlood = excess > this.closedStreamBytes;
    // At most one connection window can be in transit.
    this.closedStreamBytes = Math.min(this.closedStreamBytes - Math.max(0, excess), connectionWindowBytes);
    return isFlood;
  }
}
