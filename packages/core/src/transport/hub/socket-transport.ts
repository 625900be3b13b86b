import type { Clock } from "../../runtime/clock.ts";
import type { Listener, Socket } from "../../exchange/socket.ts";
import type { CloseResult, ListenAddress } from "../../exchange/transport.ts";
import { timesOut } from "../../lifecycle/deadline.ts";
import type { SocketListener } from "../../lifecycle/listener.ts";
import type { Logger } from "../../log/logger.ts";
import { openListener } from "./open-listener.ts";

/** Options of a `SocketTransport`. */
export interface SocketTransportOptions {
  /** Connections above this number are closed at once. */
  readonly maxConnections: number;
  readonly log: Logger;
  readonly clock: Pick<Clock, "after">;
}

/** Period in milliseconds whose dropped connections are counted in one log line. */
const LOG_PERIOD_MS = 1000;

/** The connections of a feature's own protocol: bounded, drained and cut like HTTP connections. */
export class SocketTransport {
  accepted = 0;
  private readonly protocol: SocketListener;
  private readonly options: SocketTransportOptions;
  private readonly listeners: Listener[] = [];
  private readonly sockets: Set<Socket> = new Set();
  private dropped = 0;
  private draining = false;
  private isClosed = false;
  private closing: Promise<CloseResult> | null = null;
  private whenEmpty: () => void = () => {};

  constructor(protocol: SocketListener, options: SocketTransportOptions) {
    this.protocol = protocol;
    this.options = options;
  }

  get connections(): number {
    return this.sockets.size;
  }

  /** Has no effect: only the protocol could close a connection cleanly. */
  shed(): void {}

  accept(socket: Socket): void {
    this.accepted++;
    if (socket.destroyed) return;
    if (this.isClosed || this.sockets.size >= this.options.maxConnections) {
      if (!this.isClosed) this.countDropped();
      socket.destroy();
      return;
    }
    this.sockets.add(socket);
    socket.on("error", () => socket.destroy()); // the protocol may listen too; a connection must not end the process
    socket.once("close", () => {
      this.sockets.delete(socket);
      if (this.sockets.size === 0) this.whenEmpty();
    });
    try {
      this.protocol.accept(socket);
    } catch (error) {
      this.options.log.error("a listener failed to accept a connection", {
        listener: this.protocol.name,
        error,
      });
      socket.destroy();
    }
  }

  /** @throws the system's error, such as EADDRINUSE */
  async listen(wanted: ListenAddress): Promise<ListenAddress> {
    const { listener, address } = await openListener(wanted, (socket) => this.accept(socket));
    listener.on("error", (error) =>
      this.options.log.error("the listener failed", { listener: this.protocol.name, error }),
    );
    this.listeners.push(listener);
    return address;
  }

  drain(): void {
    if (this.draining) return;
    this.draining = true;
    for (const listener of this.listeners) listener.close();
    try {
      this.protocol.drain?.();
    } catch (error) {
      this.logFailedClose(error);
    }
  }

  close(deadlineMs: number): Promise<CloseResult> {
    this.drain();
    return (this.closing ??= this.untilClosed(deadlineMs));
  }

  private async untilClosed(deadlineMs: number): Promise<CloseResult> {
    let cut = 0;
    const closed = this.whenClosed(deadlineMs).then((result) => {
      ({ cut } = result);
    });
    await timesOut(closed, deadlineMs); // `timesOut` has a timer that keeps the process alive, as an open connection does
    this.isClosed = true;
    const remaining = this.sockets.size;
    for (const socket of this.sockets) socket.destroy();
    return { cut: cut + remaining };
  }

  /** Resolves when the protocol has closed and every connection is closed. */
  private async whenClosed(deadlineMs: number): Promise<CloseResult> {
    let closed: CloseResult = { cut: 0 };
    try {
      closed = await this.protocol.close(deadlineMs);
    } catch (error) {
      this.logFailedClose(error);
    }
    if (this.sockets.size > 0) {
      await new Promise<void>((resolve) => {
        this.whenEmpty = resolve;
      });
    }
    return closed;
  }

  private logFailedClose(error: unknown): void {
    this.options.log.error("a listener failed to close", { listener: this.protocol.name, error });
  }

  private countDropped(): void {
    if (++this.dropped > 1) return;
    this.options.clock.after(LOG_PERIOD_MS, () => {
      const { name } = this.protocol;
      this.options.log.warn("connections above the limit were dropped", {
        listener: name,
        dropped: this.dropped,
      });
      this.dropped = 0;
    });
  }
}
