import type { ServerHttp2Session } from "node:http2";
import type { ByteCounters } from "./flood-watch.ts";
import type { Http2Config } from "./http2-config.ts";

/** Detects clients that disappeared without closing the connection: sends a PING when nothing arrives while requests are open. */
export class QuietWatch {
  private readonly config: Http2Config;
  private readonly counters: Pick<ByteCounters, "bytesRead">;
  private read = 0;
  /** Time since the last byte of the client, or since the PING. */
  private quietMs = 0;
  private hasPinged = false;

  constructor(config: Http2Config, counters: Pick<ByteCounters, "bytesRead">) {
    this.config = config;
    this.counters = counters;
  }

  /** Sends a PING when it is due, and returns whether its ACK is overdue; called once a second while requests are open. */
  checkSilent(elapsedMs: number, session: ServerHttp2Session): boolean {
    const { pingSecs, pingTimeoutSecs } = this.config;
    const { bytesRead } = this.counters;
    if (bytesRead !== this.read || pingSecs === 0) {
      this.read = bytesRead;
      this.quietMs = 0;
      this.hasPinged = false;
      return false;
    }
    this.quietMs += elapsedMs;
    if (this.hasPinged) return this.quietMs >= pingTimeoutSecs * 1000;
    if (this.quietMs >= pingSecs * 1000) {
      this.hasPinged = true;
      this.quietMs = 0;
      session.ping(() => {}); // the ACK increases `bytesRead`
    }
    return false;
  }
}
