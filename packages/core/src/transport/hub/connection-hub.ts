import { BodyGrace } from "./body-grace.ts";
import { type Clock, systemClock } from "../../runtime/clock.ts";
import type { OpenConnection } from "../../exchange/open-connection.ts";
import { headEnd } from "../wire/head-end.ts";
import type { Listener, Socket } from "../../exchange/socket.ts";
import { openListener } from "./open-listener.ts";
import { PromptClose } from "./prompt-close.ts";
import { ReadBatch } from "./read-batch.ts";
import type {
  CloseResult,
  ListenAddress,
  ProtocolHost,
  Transport,
  TransportOptions,
  TransportTls,
} from "../../exchange/transport.ts";

/** Milliseconds between two sweeps. `ConnectionHub.now` may be this far in the past: a deadline that counts from it adds this. */
export const SWEEP_MS = 1000;

/** Milliseconds that a drain keeps a new connection open before its first request, which would otherwise fail with a reset. */
const FIRST_REQUEST_MS = 1000;

export type { OpenConnection } from "../../exchange/open-connection.ts";

/** Starts serving an accepted socket. */
export type ServeSocket = (socket: Socket) => void;

/**
 * State and lifecycle of a transport of any kind: listeners, open connections and their count, one sweep a second for all deadlines, drain and close. Apps do
 * not share a hub.
 */
export class ConnectionHub implements Transport, ProtocolHost {
  readonly options: TransportOptions;
  readonly bodyGrace: BodyGrace = new BodyGrace();
  readonly promptClose: PromptClose = new PromptClose();
  /** Batches the reads of the connections in one turn of the event loop. */
  readonly batch: ReadBatch;
  draining = false;
  /** Requests in progress; the connections count them. */
  inFlight = 0;
  accepted = 0;
  /** Set by the transport that terminates TLS. */
  onRenewTls: ((tls: TransportTls) => void) | null = null;
  /** Monotonic milliseconds, as of the last sweep. */
  now: number;
  private readonly clock: Clock;
  private readonly serve: ServeSocket;
  private readonly listeners: Listener[] = [];
  /** Every accepted socket, upgraded ones included. */
  private readonly sockets = new Set<Socket>();
  /** Connections being served, with the times of their registration. With TLS a connection is registered after its handshake. */
  private readonly open = new Map<OpenConnection, number>();
  private readonly stopSweep: () => void;
  private dateText: string | null = null;
  private keepAliveEnd: string | null = null;
  private dropped = 0;
  /** Number of connections that `shed` still has to close. */
  private excess = 0;
  private keepsIdle = true;
  private closed = false;
  private closing: Promise<CloseResult> | null = null;
  private whenEmpty: (() => void) | null = null;

  /** @param createServe returns the function that serves the sockets of this hub */
  constructor(options: TransportOptions, createServe: (hub: ConnectionHub) => ServeSocket) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.now = this.clock.now();
    this.batch = new ReadBatch(this.clock, options.readBatches === "always");
    this.serve = createServe(this);
    this.stopSweep = this.clock.every(SWEEP_MS, this.sweep);
  }

  get connections(): number {
    return this.sockets.size;
  }

  /** Value of `Date`, at most a second old. */
  get date(): string {
    return (this.dateText ??= new Date().toUTCString());
  }

  /** Returns the lines of an ordinary reply's head after its content-length. */
  headEnd(close: boolean): string {
    if (close) return headEnd(this.date, true);
    return (this.keepAliveEnd ??= headEnd(this.date, false));
  }

  accept(socket: Socket): void {
    this.accepted++;
    if (socket.destroyed) return; // it may have emitted "close" already
    if (this.closed || this.connections >= this.options.limits.maxConnections) {
      if (!this.closed) this.dropped++;
      socket.destroy();
      return;
    }
    socket.setNoDelay(true);
    socket.allowHalfOpen = true; // a client that half-closes still gets the replies that are being sent
    this.sockets.add(socket);
    socket.on("close", () => {
      this.sockets.delete(socket);
      this.checkEmpty();
    });
    this.serve(socket);
  }

  /** Registers a connection for sweeps and the drain. */
  add(connection: OpenConnection): void {
    this.open.set(connection, this.clock.now());
  }

  /** Unregisters a connection that closed or was handed over. Its socket counts until it closes. */
  remove(connection: OpenConnection): void {
    this.open.delete(connection);
    this.checkEmpty();
  }

  renewTls(tls: TransportTls): void {
    this.onRenewTls?.(tls);
  }

  after(delayMs: number, call: () => void): () => void {
    return this.clock.after(delayMs, call);
  }

  async listen(wanted: ListenAddress): Promise<ListenAddress> {
    const { listener, address } = await openListener(wanted, (socket) => this.accept(socket));
    this.listeners.push(listener);
    listener.on("error", (error) => this.options.log.error("the listener failed", { error }));
    return address;
  }

  shed(count: number): void {
    this.excess = count;
  }

  /** Returns whether a connection must close with its next reply. Each `true` counts for one of the connections that `shed` closes. */
  takeExcess(): boolean {
    if (this.excess === 0) return false;
    this.excess--;
    return true;
  }

  drain(): void {
    if (this.draining) return;
    this.draining = true;
    for (const listener of this.listeners) listener.close();
    for (const connection of this.open.keys()) connection.drain?.();
    this.clock.after(this.options.drainIdleMs ?? 1000, () => {
      this.keepsIdle = false;
      this.closeIdle();
    });
    this.clock.after(FIRST_REQUEST_MS, () => {
      if (!this.keepsIdle) this.closeIdle();
    });
  }

  close(deadlineMs: number): Promise<CloseResult> {
    this.drain();
    return (this.closing ??= this.untilClosed(deadlineMs));
  }

  private untilClosed(deadlineMs: number): Promise<CloseResult> {
    return new Promise((resolve) => {
      let stopWaiting = (): void => {};
      const finish = (cut: number): void => {
        this.whenEmpty = null;
        this.closed = true;
        stopWaiting();
        this.stopSweep();
        for (const connection of this.open.keys()) connection.cut();
        for (const socket of this.sockets) socket.destroy();
        resolve({ cut });
      };
      if (this.connections === 0) return finish(0);
      this.whenEmpty = () => finish(0);
      stopWaiting = this.clock.after(deadlineMs, () => finish(this.inFlight));
    });
  }

  /**
   * Cuts idle connections, except new connections that wait for their first request. It does so in the next turn of the event loop, after requests that have
   * already arrived are read.
   */
  private closeIdle(): void {
    setImmediate(() => {
      const now = this.clock.now();
      for (const [connection, since] of this.open)
        if (connection.idle && (connection.used || now - since >= FIRST_REQUEST_MS)) connection.cut();
    });
  }

  private checkEmpty(): void {
    if (this.sockets.size === 0 && this.open.size === 0) this.whenEmpty?.();
  }

  private readonly sweep = (): void => {
    this.now = this.clock.now();
    this.dateText = null;
    this.keepAliveEnd = null;
    for (const connection of this.open.keys()) connection.check(this.now);
    if (!this.keepsIdle) this.closeIdle();
    if (this.dropped === 0) return;
    this.options.log.warn("connections above the limit were dropped", {
      dropped: this.dropped,
      limit: this.options.limits.maxConnections,
    });
    this.dropped = 0;
  };
}
