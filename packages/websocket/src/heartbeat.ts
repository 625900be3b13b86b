import type { OpenSocket } from "./open-socket.ts";
import type { Traffic } from "./traffic.ts";

/** Ping interval and timeout. */
export interface HeartbeatOptions {
  readonly pingSecs: number;
  readonly timeoutSecs: number;
}

/** Pings every connection and cuts silent ones; one timer for all. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #traffic: Traffic;
  readonly #sockets = new Set<OpenSocket>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: HeartbeatOptions, traffic: Traffic) {
    this.#options = options;
    this.#traffic = traffic;
  }

  get size(): number {
    return this.#sockets.size;
  }

  add(socket: OpenSocket): void {
    this.#sockets.add(socket);
    this.#timer ??= setInterval(() => this.#sweep(), this.#options.pingSecs * 1000);
  }

  remove(socket: OpenSocket): void {
    this.#sockets.delete(socket);
    if (this.#sockets.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #sweep(): void {
    const latest = this.#traffic.now() - this.#options.timeoutSecs * 1000;
    for (const socket of this.#sockets) {
      if (socket.lastSeenMs >= latest || socket.heldBack) socket.ping();
      else {
        this.#traffic.timedOut++;
        socket.cut();
      }
    }
  }
}
