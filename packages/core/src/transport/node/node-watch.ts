import type { Socket } from "node:net";
import type { TimeoutConfig } from "../../config/timeout-config.ts";

/** Bytes a second that buy a body more time, looked at in windows of so many seconds. */
const bodyRate = 1024;
const bodyWindowSecs = 5;

/**
 * Sees from a socket's counters how a client behaves over time, without a timer or listener for any request.
 *
 * It is asked once a second; between two looks it costs nothing but the counter read when a connection becomes idle.
 */
export class NodeWatch {
  private readonly socket: Socket;
  private readonly timeouts: TimeoutConfig;
  /** Bytes that the finished requests took. */
  private restedAt: number;
  private idleSince: number;
  private headSince: number | null = null;
  private looked: number;
  /** Milliseconds since the look before this one. */
  private elapsed = 0;
  private bodyWaited = 0;
  private bodyDeadline = 0;
  private bodyMark = 0;
  private bodyMarkWaited = 0;

  constructor(socket: Socket, timeouts: TimeoutConfig, now: number) {
    this.socket = socket;
    this.timeouts = timeouts;
    this.idleSince = now;
    this.looked = now;
    this.restedAt = this.passedOn;
  }

  /** Whether bytes of a further request are here, though not yet its whole head. */
  get headBegan(): boolean {
    return this.socket.bytesRead !== this.restedAt;
  }

  /** Whether the last `length` bytes that were read begin a message. */
  beginsMessage(length: number): boolean {
    return this.passedOn - length === this.restedAt;
  }

  /** No request is under way. */
  becameIdle(now: number): void {
    this.restedAt = this.passedOn;
    this.idleSince = now;
    this.headSince = null;
  }

  /** A head is in; a body may follow. */
  bodyBegins(): void {
    this.headSince = null;
    this.bodyWaited = 0;
    this.bodyDeadline = 0;
  }

  /** Begins a look at the connection. */
  look(now: number): void {
    this.elapsed = now - this.looked;
    this.looked = now;
  }

  /** What the time says about a connection that has no whole head. */
  head(now: number): "in time" | "slow" | "idle too long" {
    if (!this.headBegan) {
      return now - this.idleSince >= this.timeouts.idleSecs * 1000 ? "idle too long" : "in time";
    }
    this.headSince ??= now;
    return now - this.headSince >= this.timeouts.readHeaderSecs * 1000 ? "slow" : "in time";
  }

  /** Whether a body that somebody waits for is too slow. Time during which nobody wanted more does not count. */
  bodyTooSlow(): boolean {
    const bytes = this.socket.bytesRead;
    if (this.bodyDeadline === 0) {
      this.bodyDeadline = this.timeouts.readBodySecs * 1000;
      this.mark(bytes);
      return false;
    }
    this.bodyWaited += this.elapsed;
    if (this.bodyWaited < this.bodyDeadline) return false;
    const needed = (bodyRate * (this.bodyWaited - this.bodyMarkWaited)) / 1000;
    if (bytes - this.bodyMark < needed) return true;
    this.mark(bytes);
    this.bodyDeadline = this.bodyWaited + bodyWindowSecs * 1000;
    return false;
  }

  /** Bytes that the parser has got: those of a socket that was handed over may still wait in front of it. */
  private get passedOn(): number {
    return this.socket.bytesRead - this.socket.readableLength;
  }

  private mark(bytes: number): void {
    this.bodyMark = bytes;
    this.bodyMarkWaited = this.bodyWaited;
  }
}
