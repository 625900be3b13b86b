import type { OpenConnection } from "../../exchange/open-connection.ts";
import type { Socket } from "../../exchange/socket.ts";
import { type ConnectionHub, type ServeSocket, SWEEP_MS } from "./connection-hub.ts";

/**
 * Adds the transport's additional protocol to a function that serves HTTP/1.1 without TLS: connections that begin with the protocol's preface are passed to the
 * protocol. Without an additional protocol the function itself is returned, so connections have no extra cost.
 */
export const selectByPreface = (hub: ConnectionHub, http: ServeSocket): ServeSocket => {
  const { protocol } = hub.options;
  if (protocol?.preface === undefined) return http;
  const { preface } = protocol;
  const serve = protocol.open(hub);
  return (socket) => hub.add(new PrefaceReader(socket, hub, preface, { http, serve }));
};

interface Choices {
  readonly http: ServeSocket;
  readonly serve: ServeSocket;
}

/** Reads the first bytes of a connection until they differ from the preface or contain it, and unshifts them. */
class PrefaceReader implements OpenConnection {
  private readonly socket: Socket;
  private readonly hub: ConnectionHub;
  private readonly preface: Uint8Array;
  private readonly choices: Choices;
  private readonly since: number;
  /** Time of the first sweep after the first byte; `null` before. */
  private receivingSince: number | null = null;
  private received: Buffer | null = null;

  constructor(socket: Socket, hub: ConnectionHub, preface: Uint8Array, choices: Choices) {
    this.socket = socket;
    this.hub = hub;
    this.preface = preface;
    this.choices = choices;
    this.since = hub.now;
    socket.on("data", this.take);
    socket.on("end", this.onGone);
    socket.on("close", this.onGone);
    socket.on("error", this.onGone);
    if (socket.isPaused()) socket.resume();
  }

  get idle(): boolean {
    return this.received === null;
  }

  get used(): boolean {
    return false;
  }

  check(now: number): void {
    const { idleSecs, readHeaderSecs } = this.hub.options.timeouts;
    if (this.received !== null) this.receivingSince ??= now;
    const isLate =
      this.receivingSince === null
        ? now - this.since >= idleSecs * 1000 + SWEEP_MS
        : now - this.receivingSince >= readHeaderSecs * 1000;
    if (isLate) this.cut();
  }

  cut(): void {
    this.socket.destroy();
  }

  private readonly take = (chunk: Buffer): void => {
    const received = this.received === null ? chunk : Buffer.concat([this.received, chunk]);
    this.received = received;
    const { preface } = this;
    const length = Math.min(received.length, preface.length);
    const isSame = received.subarray(0, length).equals(preface.subarray(0, length));
    if (isSame && length < preface.length) return;
    this.passOn(isSame ? this.choices.serve : this.choices.http, received);
  };

  private passOn(serve: ServeSocket, received: Buffer): void {
    const { socket, hub } = this;
    socket.pause();
    socket.off("data", this.take);
    socket.off("end", this.onGone);
    socket.off("close", this.onGone);
    socket.unshift(received);
    serve(socket);
    socket.off("error", this.onGone); // `serve` has added a listener
    hub.remove(this);
  }

  private readonly onGone = (): void => {
    this.hub.remove(this);
    this.socket.destroy();
  };
}
