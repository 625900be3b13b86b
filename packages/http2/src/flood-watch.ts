import type { Http2Config } from "./http2-config.ts";

/** Overhead bytes allowed per byte of a reply: clients send window updates of 13 bytes for some kilobytes each. */
const OVERHEAD_OF_REPLIES = 1 / 64;

/** Counters of a connection's bytes, as the system reports them. */
export interface ByteCounters {
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

/**
 * Detects clients that cause work without requests: pings, settings, and bytes that are neither heads nor bodies, such as window updates, unknown frames and
 * frames of one byte. Counted per second; nghttp2 bounds resets, CONTINUATION frames and its own queue of answers.
 */
export class FloodWatch {
  private readonly config: Http2Config;
  private readonly counters: ByteCounters;
  private controlFrames = 0;
  private usefulBytes = 0;
  /** Bytes of bodies that may be in transit for closed streams. */
  private lateBytes = 0;
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

  /** Allows for the rest of a body whose stream was closed. @param bytes that the client may still send */
  addLate(bytes: number): void {
    this.lateBytes += bytes;
  }

  /** Begins the next second. Returns whether there was too much overhead in the last one. */
  tick(elapsedMs: number): boolean {
    const { maxOverheadBytesPerSec, connectionWindowBytes } = this.config;
    const { bytesRead, bytesWritten } = this.counters;
    const overhead = bytesRead - this.read - 2 * this.usefulBytes;
    const explained = (bytesWritten - this.written) * OVERHEAD_OF_REPLIES;
    this.read = bytesRead;
    this.written = bytesWritten;
    this.usefulBytes = 0;
    this.controlFrames = 0;
    const excess = overhead - explained - maxOverheadBytesPerSec * Math.max(1, elapsedMs / 1000);
    const isFlood = excess > this.lateBytes;
    // At most one window is in transit at a time.
    this.lateBytes = Math.min(this.lateBytes - Math.max(0, excess), connectionWindowBytes);
    return isFlood;
  }
}
