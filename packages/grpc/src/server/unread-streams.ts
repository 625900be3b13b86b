import type { ServerHttp2Stream } from "node:http2";
import { constants } from "node:http2";
import type { Clock } from "@framework/core/feature";

/** Milliseconds between two checks. */
const CHECK_MS = 10_000;
/** Minimum number of check periods that a client has to read the rest of the reply after its call has ended. */
const PERIODS = 3;

/**
 * Streams of ended and refused calls. A client that does not read the reply, or does not end its own side, would keep them open; they are closed after 30 to
 * 40 s.
 *
 * Running calls are limited by their deadline and `maxCallSecs`.
 */
export class UnreadStreams {
  private readonly clock: Pick<Clock, "every">;
  private checks = 0;
  /** Number of checks when each call ended, oldest first: cheaper than reading the clock in every call. */
  private readonly ended: Map<ServerHttp2Stream, number> = new Map();

  constructor(clock: Pick<Clock, "every">) {
    this.clock = clock;
  }

  add(stream: ServerHttp2Stream): void {
    this.ended.set(stream, this.checks);
  }

  delete(stream: ServerHttp2Stream): void {
    this.ended.delete(stream);
  }

  /** Starts the checks; the returned function stops them. */
  watch(): () => void {
    return this.clock.every(CHECK_MS, () => {
      this.checks++;
      for (const [stream, since] of this.ended) {
        if (since >= this.checks - PERIODS) return;
        this.ended.delete(stream);
        stream.close(constants.NGHTTP2_CANCEL);
      }
    });
  }
}
