import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import type { AddressInfo, Server as Listener, Socket } from "node:net";
import { systemClock } from "./clock.ts";
import { NodeConnection, type ConnectionHost } from "./node-connection.ts";
import type { ParseError } from "./node-parse-errors.ts";
import type { Closed, ListenAddress, Transport, TransportOptions, TransportTls } from "./transport.ts";

const sweepMs = 1000;

/**
 * HTTP/1.1 over `node:http`: the transport for everything, TLS included.
 *
 * `node:http` parses and orders; limits, strictness, deadlines and the end of connections are decided here. It is stricter than plain
 * `node:http`, and as lenient in three harmless places that cannot be seen from outside its parser: more than one blank between the parts of
 * a request line, empty lines before it, and the protocol names `RTSP` and `ICE` in place of `HTTP`.
 */
export const createNodeTransport = (options: TransportOptions): SecondTransport => new NodeTransport(options);

/** A transport that goes on where another one left off. */
export interface SecondTransport extends Transport {
  /** @param served requests that were answered on the connection before; they count for `maxRequestsPerConnection` */
  accept(socket: Socket, served?: number): void;
}

class NodeTransport implements SecondTransport, ConnectionHost {
  readonly options: TransportOptions;
  draining = false;
  inFlight = 0;
  now: number;
  private readonly clock: NonNullable<TransportOptions["clock"]>;
  private readonly server: Server;
  /** Every socket taken over, whatever is spoken on it. */
  private readonly sockets = new Set<Socket>();
  /** Those that speak HTTP: with TLS other objects, which exist when the handshake is done. */
  private readonly bySocket = new Map<Socket, NodeConnection>();
  private readonly stopSweep: () => void;
  private readonly listeners: Listener[] = [];
  private dateText: string | null = null;
  private dropped = 0;
  private keepsIdle = true;
  private closing: Promise<Closed> | null = null;
  private over = false;
  private whenEmpty: (() => void) | null = null;

  constructor(options: TransportOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.now = this.clock.now();
    this.server = createServer(options);
    this.server.on("request", this.onRequest);
    this.server.on("checkContinue", this.onRequest);
    this.server.on("checkExpectation", this.onRequest);
    this.server.on("connect", this.onConnect);
    this.server.on("clientError", this.onClientError);
    if (options.tls !== undefined)
      this.server.prependListener("secureConnection", (socket) => this.attach(socket, 0));
    this.stopSweep = this.clock.every(sweepMs, this.sweep);
  }

  get connections(): number {
    return this.sockets.size;
  }

  get date(): string {
    return (this.dateText ??= new Date().toUTCString());
  }

  accept(socket: Socket, served = 0): void {
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
    if (this.options.tls === undefined) this.attach(socket, served);
    else socket.on("error", ignore);
    this.server.emit("connection", socket);
    if (socket.isPaused()) socket.resume();
  }

  listen({ host, port }: ListenAddress): Promise<ListenAddress> {
    const { createServer: createListener } = process.getBuiltinModule("node:net");
    const listener = createListener((socket) => this.accept(socket));
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
    this.inFlight++;
  }

  ended(): void {
    this.inFlight--;
  }

  closed(connection: NodeConnection): void {
    this.bySocket.delete(connection.socket);
    this.gone();
  }

  private untilGone(deadlineMs: number): Promise<Closed> {
    return new Promise((resolve) => {
      let stopWaiting = (): void => {};
      const finish = (cut: number): void => {
        this.whenEmpty = null;
        this.over = true;
        stopWaiting();
        this.stopSweep();
        resolve({ cut });
      };
      if (this.connections === 0) return finish(0);
      this.whenEmpty = () => finish(0);
      stopWaiting = this.clock.after(deadlineMs, () => {
        const cut = this.inFlight;
        this.whenEmpty = null;
        for (const socket of [...this.bySocket.keys(), ...this.sockets]) socket.destroy();
        finish(cut);
      });
    });
  }

  private closeIdle(): void {
    for (const connection of this.bySocket.values()) if (connection.idle) connection.cut();
  }

  private attach(socket: Socket, served: number): void {
    this.bySocket.set(socket, new NodeConnection(socket, this, served));
  }

  private gone(): void {
    if (this.sockets.size === 0 && this.bySocket.size === 0) this.whenEmpty?.();
  }

  private readonly onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    this.bySocket.get(request.socket)?.onRequest(request, response);
  };

  private readonly onConnect = (request: IncomingMessage, stream: NodeJS.EventEmitter): void => {
    stream.on("error", ignore); // a stream around the socket when a body follows; the socket's own errors are seen already
    this.bySocket.get(request.socket)?.onConnect();
  };

  private readonly onClientError = (error: ParseError, socket: unknown): void => {
    const connection = this.bySocket.get(socket as Socket);
    if (connection === undefined) (socket as Socket).destroy();
    else connection.onParseError(error);
  };

  private readonly sweep = (): void => {
    this.now = this.clock.now();
    this.dateText = null;
    for (const connection of this.bySocket.values()) connection.check(this.now);
    if (!this.keepsIdle) this.closeIdle();
    if (this.dropped === 0) return;
    this.options.log.warn("connections above the limit were dropped", {
      dropped: this.dropped,
      limit: this.options.limits.maxConnections,
    });
    this.dropped = 0;
  };
}

/** A socket that fails closes too, and that is acted on. */
const ignore = (): void => {};

/** A server that never listens itself: sockets are handed to it. Its own time limits are off, those of the sweep hold. */
const createServer = ({ limits, timeouts, tls }: TransportOptions): Server => {
  const options: ServerOptions = {
    // Node counts the target and the fields together; each has its own limit in `readHead`.
    maxHeaderSize: limits.maxRequestLine + limits.maxHeaderSize,
    requireHostHeader: false,
    insecureHTTPParser: false,
    keepAliveTimeout: 0,
    headersTimeout: 0,
    requestTimeout: 0,
    optimizeEmptyRequests: true,
  };
  const server =
    tls === undefined
      ? process.getBuiltinModule("node:http").createServer(options)
      : process.getBuiltinModule("node:https").createServer({
          ...options,
          ...tlsOptions(tls),
          handshakeTimeout: timeouts.readHeaderSecs * 1000,
        });
  server.maxHeadersCount = 0; // above a limit Node would drop fields without a word
  server.timeout = 0;
  return server;
};

const tlsOptions = ({ cert, key, ca, requireClientCert = false, minVersion = "1.2" }: TransportTls) => ({
  cert: bytes(cert),
  key: bytes(key),
  ...(ca === undefined ? {} : { ca: bytes(ca) }),
  requestCert: requireClientCert,
  rejectUnauthorized: requireClientCert,
  minVersion: `TLSv${minVersion}` as const,
  ALPNProtocols: ["http/1.1"],
});

const bytes = (pem: string | Uint8Array): string | Buffer =>
  typeof pem === "string" ? pem : Buffer.from(pem);
