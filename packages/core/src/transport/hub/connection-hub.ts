import { BodyGrace } from "./body-grace.ts";
import { type Clock, systemClock } from "../../runtime/clock.ts";
import { headEnd } from "../wire/head-end.ts";
import type { Listener, Socket } from "../../exchange/socket.ts";
import { openListener } from "./open-listener.ts";
import type { Closed, ListenAddress, Transport, TransportOptions } from "../../exchange/transport.ts";

const sweepMs = 1000;

/** Whoever serves an open connection. */
export interface OpenConnection {
  /** Whether no request is under way on it, not even a part of one. */
  readonly idle: boolean;
  /** Looks at the deadlines; called once a second. */
  check(now: number): void;
  /** Breaks the connection off. */
  cut(): void;
  /** Told once, when the transport begins to drain. */
  drain?(): void;
}

/** Begins to serve an accepted socket. */
export type ServeSocket = (socket: Socket) => void;

/**
 * What every transport has, whatever it speaks: listeners, the open connections and their number, one sweep a second for all of them, the
 * drain and the end.
 */
export class ConnectionHub implements Transport {
  readonly options: TransportOptions;
  readonly bodyGrace: BodyGrace = new BodyGrace();
  draining = false;
  /** Requests that are being answered; whoever serves them counts. */
  inFlight = 0;
  /** Monotonic milliseconds, as of the last sweep. */
  now: number;
  private readonly clock: Clock;
  private readonly take: ServeSocket;
  private readonly listeners: Listener[] = [];
  /** Every socket taken over, whatever is spoken on it. */
  private readonly sockets = new Set<Socket>();
  /** Those that are served: with TLS they exist only when the handshake is done. */
  private readonly open = new Set<OpenConnection>();
  private readonly stopSweep: () => void;
  private dateText: string | null = null;
  private endsKeeping: string | null = null;
  private dropped = 0;
  private keepsIdle = true;
  private over = false;
  private closing: Promise<Closed> | null = null;
  private whenEmpty: (() => void) | null = null;

  /** @param serving makes what serves the sockets of this hub */
  constructor(options: TransportOptions, serving: (hub: ConnectionHub) => ServeSocket) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.now = this.clock.now();
    this.take = serving(this);
    this.stopSweep = this.clock.every(sweepMs, this.sweep);
  }

  get connections(): number {
    return this.sockets.size;
  }

  /** Value of `Date`, at most a second old. */
  get date(): string {
    return (this.dateText ??= new Date().toUTCString());
  }

  /** The last lines of an ordinary reply behind which the connection stays open, or closes. */
  ends(close: boolean): string {
    if (close) return headEnd(this.date, true);
    return (this.endsKeeping ??= headEnd(this.date, false));
  }

  accept(socket: Socket): void {
    if (socket.destroyed) return; // its client left before it came here; there may be no further event
    if (this.over || this.connections >= this.options.limits.maxConnections) {
      if (!this.over) this.dropped++;
      socket.destroy();
      return;
    }
    socket.setNoDelay(true);
    this.sockets.add(socket);
    socket.on("close", () => {
      this.sockets.delete(socket);
      this.gone();
    });
    this.take(socket);
  }

  /** A connection is served from now on: by the first one that is added, or by the next one behind a hand-over. */
  add(connection: OpenConnection): void {
    this.open.add(connection);
  }

  /** A connection is served no longer; its socket counts until it closes. */
  remove(connection: OpenConnection): void {
    this.open.delete(connection);
    this.gone();
  }

  async listen(wanted: ListenAddress): Promise<ListenAddress> {
    const { listener, address } = await openListener(wanted, (socket) => this.accept(socket));
    this.listeners.push(listener);
    listener.on("error", (error) => this.options.log.error("the listener failed", { error }));
    return address;
  }

  drain(): void {
    if (this.draining) return;
    this.draining = true;
    for (const listener of this.listeners) listener.close();
    for (const connection of this.open) connection.drain?.();
    this.clock.after(this.options.drainIdleMs ?? 1000, () => {
      this.keepsIdle = false;
      this.closeIdle();
    });
  }

  close(deadlineMs: number): Promise<Closed> {
    this.drain();
    return (this.closing ??= this.untilGone(deadlineMs));
  }

  private untilGone(deadlineMs: number): Promise<Closed> {
    return new Promise((resolve) => {
      let stopWaiting = (): void => {};
      const finish = (cut: number): void => {
        this.whenEmpty = null;
        this.over = true;
        stopWaiting();
        this.stopSweep();
        for (const connection of this.open) connection.cut();
        for (const socket of this.sockets) socket.destroy();
        resolve({ cut });
      };
      if (this.connections === 0) return finish(0);
      this.whenEmpty = () => finish(0);
      stopWaiting = this.clock.after(deadlineMs, () => finish(this.inFlight));
    });
  }

  private closeIdle(): void {
    for (const connection of this.open) if (connection.idle) connection.cut();
  }

  private gone(): void {
    if (this.sockets.size === 0 && this.open.size === 0) this.whenEmpty?.();
  }

  private readonly sweep = (): void => {
    this.now = this.clock.now();
    this.dateText = null;
    this.endsKeeping = null;
    for (const connection of this.open) connection.check(this.now);
    if (!this.keepsIdle) this.closeIdle();
    if (this.dropped === 0) return;
    this.options.log.warn("connections above the limit were dropped", {
      dropped: this.dropped,
      limit: this.options.limits.maxConnections,
    });
    this.dropped = 0;
  };
}
