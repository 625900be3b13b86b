import type { OpenSocket } from "./open-socket.ts";
import type { Traffic } from "./traffic.ts";

/** Options of `Heartbeat`. */
export interface HeartbeatOptions {
  readonly pingSecs: number;
}

/** Timeouts are checked at most this many times between two pings. */
const CHECKS_PER_PING = 32;

/** Pings every connection and destroys inactive ones, with one timer for all pings and one for the next timeout that expires before the next ping. */
export class Heartbeat {
  private readonly pingMs: number;
  private readonly traffic: Traffic;
  private readonly sockets = new Set<OpenSocket>();
  private pings: NodeJS.Timeout | null = null;
  private timeout: NodeJS.Timeout | undefined;
  private nextPingAtMs = 0;

  constructor({ pingSecs }: HeartbeatOptions, traffic: Traffic) {
    this.pingMs = pingSecs * 1000;
    this.traffic = traffic;
  }

  get size(): number {
    return this.sockets.size;
  }

  add(socket: OpenSocket): void {
    this.sockets.add(socket);
    this.pings ??= setInterval(() => this.ping(), this.pingMs);
  }

  remove(socket: OpenSocket): void {
    this.sockets.delete(socket);
    if (this.sockets.size > 0 || this.pings === null) return;
    clearInterval(this.pings);
    clearTimeout(this.timeout);
    this.pings = null;
  }

  private ping(): void {
    this.nextPingAtMs = this.traffic.now() + this.pingMs;
    this.sweep();
    for (const socket of this.sockets) socket.ping();
  }

  private sweep(): void {
    const now = this.traffic.now();
    let next = Infinity;
    for (const socket of this.sockets) {
      socket.updateLastSeen(now);
      const timeoutAt = socket.lastSeenMs + socket.timeoutMs;
      if (now <= timeoutAt) next = Math.min(next, timeoutAt);
      else {
        this.remove(socket); // so that it is counted once, even if it is still closing at the next check
        this.traffic.timedOut++;
        socket.terminate();
      }
    }
    clearTimeout(this.timeout);
    if (next >= this.nextPingAtMs) return;
    // If the event loop was delayed, pongs that have already arrived are read before the check.
    const sweep = (): void => void setImmediate(() => this.sweep());
    this.timeout = setTimeout(sweep, next - now + this.pingMs / CHECKS_PER_PING);
  }
}
