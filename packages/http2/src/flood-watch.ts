import type { Http2Config } from "./http2-config.ts";

/** Overhead in bytes that one byte of a reply explains, as a fraction: window updates of 13 bytes for some kilobytes. */
const OVERHEAD_OF_REPLIES = 1 / 64;

/** Counters of a connection's bytes, as the system reports them. */
export interface ByteCounters {
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

/**
 * Detects clients that make work without requests: pings, settings, and bytes that are neither heads nor bodies, such as window updates, unknown frames
 * and frames of one byte. Counted by seconds; nghttp2 bounds resets, CONTINUATION frames and its own queue of answers.
 */
export class FloodWatch {
  private readonly config: Http2Config;
  private readonly counters: ByteCounters;
  private controlFrames = 0;
  private usefulBytes = 0;
  /** Bytes of bodies that may be on their way for closed streams. */
  private lateBytes = 0;
  private read = 0;
  private written = 0;

  constructor(config: Http2Config, counters: ByteCounters) {
    this.config = config;
    this.counters = counters;
  }

  /** Counts a PING or SETTINGS frame; whether there are too many in this second. */
  controlFrame(): boolean {
    return ++this.controlFrames > this.config.maxControlFramesPerSec;
  }

  /** Counts bytes of a head or a body. */
  useful(bytes: number): void {
    this.usefulBytes += bytes;
  }

  /** A stream was closed before its body had arrived. @param bytes of the body that the client may have sent since */
  closedEarly(bytes: number): void {
    this.lateBytes += bytes;
  }

  /** Begins the next second; whether there were too many other bytes in the last one. */
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
    // No more than the window is on its way at a time.
    this.lateBytes = Math.min(this.lateBytes - Math.max(0, excess), connectionWindowBytes);
    return isFlood;
  }
}
