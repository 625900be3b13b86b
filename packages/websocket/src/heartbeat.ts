import type { OpenSocket } from "./open-socket.ts";
import type { Traffic } from "./traffic.ts";

/** Options of `Heartbeat`. */
export interface HeartbeatOptions {
  readonly pingSecs: number;
}

/** Pings every connection and destroys inactive ones, with one timer for all. */
export class Heartbeat {
  private readonly options: HeartbeatOptions;
  private readonly traffic: Traffic;
  private readonly sockets = new Set<OpenSocket>();
  private timer: NodeJS.Timeout | null = null;

  constructor(options: HeartbeatOptions, traffic: Traffic) {
    this.options = options;
    this.traffic = traffic;
  }

  get size(): number {
    return this.sockets.size;
  }

  add(socket: OpenSocket): void {
    this.sockets.add(socket);
    this.timer ??= setInterval(() => this.sweep(), this.options.pingSecs * 1000);
  }

  remove(socket: OpenSocket): void {
    this.sockets.delete(socket);
    if (this.sockets.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }

  private sweep(): void {
    const now = this.traffic.now();
    for (const socket of this.sockets) {
      socket.updateLastSeen(now);
      if (now - socket.lastSeenMs <= socket.timeoutMs) socket.ping();
      else {
        this.traffic.timedOut++;
        socket.terminate();
      }
    }
  }
}
