import { systemClock } from "./clock.ts";
import { FastConnection, type FastConnectionHost } from "./fast-connection.ts";
import { emptyFastHead, type FastHead } from "./fast-request-head.ts";
import { createNodeTransport, type SecondTransport } from "./node-transport.ts";
import type { AddressInfo, Listener, Socket } from "./node-socket.ts";
import type { Closed, ListenAddress, Transport, TransportOptions } from "./transport.ts";

const sweepMs = 1000;
/** Milliseconds that a short body may come behind its head; clients often send the two one by one. */
const bodyGraceMs = 10;

/**
 * HTTP/1.1 by the framework itself: ordinary requests with an ordinary answer take no part of `node:http`.
 *
 * A connection that shows anything else goes on over `node:http`, loaded when the first one does, with every byte that was not answered yet:
 * that transport alone refuses, upgrades, continues and reads long bodies, so that both answer alike. With `tls` all connections are its own.
 */
export const createFastTransport = (options: TransportOptions): Transport =>
  options.tls === undefined ? new FastTransport(options) : createNodeTransport(options);

class FastTransport implements Transport, FastConnectionHost {
  readonly options: TransportOptions;
  readonly head: FastHead = emptyFastHead();
  draining = false;
  now: number;
  private readonly clock: NonNullable<TransportOptions["clock"]>;
  private readonly own = new Set<FastConnection>();
  /** Connections with a head whose body is waited for. */
  private readonly awaiting = new Set<FastConnection>();
  private readonly stopSweep: () => void;
  private readonly listeners: Listener[] = [];
  private node: SecondTransport | null = null;
  private ownInFlight = 0;
  private dateText: string | null = null;
  private dateLineText: string | null = null;
  private dropped = 0;
  private keepsIdle = true;
  private over = false;
  private closing: Promise<Closed> | null = null;
  private whenEmpty: (() => void) | null = null;

  constructor(options: TransportOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.now = this.clock.now();
    this.stopSweep = this.clock.every(sweepMs, this.sweep);
  }

  get connections(): number {
    return this.own.size + (this.node?.connections ?? 0);
  }

  get inFlight(): number {
    return this.ownInFlight + (this.node?.inFlight ?? 0);
  }

  get date(): string {
    return (this.dateText ??= new Date().toUTCString());
  }

  get dateLine(): string {
    return (this.dateLineText ??= `date: ${this.date}\r\n`);
  }

  accept(socket: Socket): void {
    if (socket.destroyed) return; // its client left before it came here; there may be no further event
    if (this.over || this.connections >= this.options.limits.maxConnections) {
      if (!this.over) this.dropped++;
      socket.destroy();
      return;
    }
    socket.setNoDelay(true);
    this.own.add(new FastConnection(socket, this));
  }

  listen({ host, port }: ListenAddress): Promise<ListenAddress> {
    const { createServer } = process.getBuiltinModule("node:net");
    const listener = createServer((socket) => this.accept(socket));
    return new Promise((resolve, reject) => {
      listener.once("error", reject);
      listener.listen({ host, port }, () => {
        listener.off("error", reject);
        this.listeners.push(listener);
        listener.on("error", (error) => this.options.log.error("the listener failed", { error }));
        const bound = listener.address() as AddressInfo;
        resolve({ host: bound.address, port: bound.port });
      });
    });
  }

  drain(): void {
    if (this.draining) return;
    this.draining = true;
    for (const listener of this.listeners) listener.close();
    this.node?.drain();
    this.clock.after(this.options.drainIdleMs ?? 1000, () => {
      this.keepsIdle = false;
      this.closeIdle();
    });
  }

  close(deadlineMs: number): Promise<Closed> {
    this.drain();
    return (this.closing ??= this.untilGone(deadlineMs));
  }

  started(): void {
    this.ownInFlight++;
  }

  ended(): void {
    this.ownInFlight--;
  }

  closed(connection: FastConnection): void {
    this.own.delete(connection);
    this.gone();
  }

  awaitBody(connection: FastConnection): void {
    // The process's own timer: what it decides is who reads the body, and not how long a client may take.
    if (this.awaiting.size === 0) setTimeout(this.endAwaiting, bodyGraceMs).unref();
    this.awaiting.add(connection);
  }

  handOver(connection: FastConnection, served: number): void {
    const { socket } = connection;
    this.own.delete(connection);
    this.fallback().accept(socket, served);
    socket.on("close", this.gone);
  }

  private fallback(): SecondTransport {
    if (this.node === null) {
      this.node = createNodeTransport(this.options);
      if (this.draining) this.node.drain();
    }
    return this.node;
  }

  private untilGone(deadlineMs: number): Promise<Closed> {
    return new Promise((resolve) => {
      let stopWaiting = (): void => {};
      const finish = (cut: number): void => {
        this.whenEmpty = null;
        this.over = true;
        stopWaiting();
        this.stopSweep();
        for (const connection of this.own) connection.cut();
        if (this.node === null) resolve({ cut });
        else resolve(this.node.close(0).then(() => ({ cut })));
      };
      if (this.connections === 0) return finish(0);
      this.whenEmpty = () => finish(0);
      stopWaiting = this.clock.after(deadlineMs, () => finish(this.inFlight));
    });
  }

  private closeIdle(): void {
    for (const connection of this.own) if (connection.idle) connection.cut();
  }

  private readonly endAwaiting = (): void => {
    const late = [...this.awaiting];
    this.awaiting.clear();
    for (const connection of late) connection.bodyIsLate();
  };

  private readonly gone = (): void => {
    if (this.connections === 0) this.whenEmpty?.();
  };

  private readonly sweep = (): void => {
    this.now = this.clock.now();
    this.dateText = null;
    this.dateLineText = null;
    for (const connection of this.own) connection.check(this.now);
    if (!this.keepsIdle) this.closeIdle();
    if (this.dropped === 0) return;
    this.options.log.warn("connections above the limit were dropped", {
      dropped: this.dropped,
      limit: this.options.limits.maxConnections,
    });
    this.dropped = 0;
  };
}
