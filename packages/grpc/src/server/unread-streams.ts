import type { ServerHttp2Stream } from "node:http2";
import { constants } from "node:http2";
import type { Clock } from "@framework/core/feature";

/** Milliseconds between two looks. */
const LOOK_MS = 10_000;
/** Looks that a client has at least, whole periods, to read the rest of an answer once its call has ended. */
const PERIODS = 3;

/**
 * Ended calls whose last bytes are not sent yet. A client that does not read keeps them, its flow control decides; so they are cut after 30 s.
 *
 * Within a running call the deadline and `maxCallSecs` are the limit.
 */
export class UnreadStreams {
  private readonly clock: Pick<Clock, "every">;
  private looks = 0;
  /** The looks before each call ended, oldest first: cheaper than the time, which every call would ask for. */
  private readonly ended: Map<ServerHttp2Stream, number> = new Map();

  constructor(clock: Pick<Clock, "every">) {
    this.clock = clock;
  }

  add(stream: ServerHttp2Stream): void {
    this.ended.set(stream, this.looks);
  }

  delete(stream: ServerHttp2Stream): void {
    this.ended.delete(stream);
  }

  /** Looks regularly; ends with the returned function. */
  watch(): () => void {
    return this.clock.every(LOOK_MS, () => {
      this.looks++;
      for (const [stream, since] of this.ended) {
        if (since >= this.looks - PERIODS) return;
        this.ended.delete(stream);
        stream.close(constants.NGHTTP2_CANCEL);
      }
    });
  }
}
