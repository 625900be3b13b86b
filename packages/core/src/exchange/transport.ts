import type { LimitsConfig } from "../config/limits-config.ts";
import type { TimeoutConfig } from "../config/timeout-config.ts";
import type { Problem } from "../errors/configuration-error.ts";
import type { HttpError } from "../errors/http-error.ts";
import type { Logger } from "../log/logger.ts";
import type { Awaitable } from "../middleware/middleware.ts";
import type { Clock } from "../runtime/clock.ts";
import type { BodyGraceListener, OpenConnection } from "./open-connection.ts";
import type { Socket } from "./socket.ts";
import type { Reply } from "./reply.ts";
import type { RequestSource } from "./request-source.ts";

/**
 * Serves one request. A transport calls it once for each request, in the order of the requests of a connection; when the client pipelines, also before earlier
 * replies are ready.
 *
 * The app turns its errors into replies, so it neither throws nor rejects; if it does, the client gets a plain 500 and the error is logged.
 */
export type Serve = (source: RequestSource) => Awaitable<Reply>;

/**
 * Creates the reply to a message that no handler sees, synchronously: malformed framing, a head beyond the limits, a head that arrives too slowly.
 *
 * @param message the readable parts of the message; `null` when the app has replied but its reply cannot be written
 */
export type Reject = (error: HttpError, message: RequestSource | null) => Reply;

/** Certificate and rules of a TLS listener. */
export interface TransportTls {
  /** Certificate chain, PEM. */
  readonly cert: string | Uint8Array;
  /** Private key, PEM. */
  readonly key: string | Uint8Array;
  /** Authorities that must have issued client certificates, PEM. */
  readonly ca?: string | Uint8Array | undefined;
  /** Refuses handshakes without a client certificate issued by `ca`. @default false */
  readonly requireClientCert?: boolean | undefined;
  /** Lowest TLS version. @default "1.2" */
  readonly minVersion?: "1.2" | "1.3" | undefined;
}

/** The functions of the app that a transport calls, and the transport's limits. */
export interface TransportOptions {
  /** Handles a request. */
  readonly serve: Serve;
  /** Creates the reply to a message that the transport rejects. */
  readonly reject: Reject;
  /** Limits of heads, bodies and connections. */
  readonly limits: LimitsConfig;
  /** Timeouts of connections. */
  readonly timeouts: TimeoutConfig;
  /** Destination of log lines about connections. */
  readonly log: Logger;
  /** Makes every connection a TLS connection. */
  readonly tls?: TransportTls | undefined;
  /** A protocol in addition to HTTP/1.1. @default none */
  readonly protocol?: ConnectionProtocol | undefined;
  /**
   * Milliseconds that an idle connection is kept after `drain`, so that a request in transit gets a reply. A connection that has had no request is kept until
   * it is a second old.
   *
   * @default 1000
   */
  readonly drainIdleMs?: number | undefined;
  /**
   * When to serve connections that become readable in the same turn of the event loop as a batch: first all are read, then all requests are handled, then
   * all replies are written. `busy`: from four connections in a turn on. `always`: for tests.
   *
   * @default "busy"
   */
  readonly readBatches?: "busy" | "always" | undefined;
  /** Time and timers; the process's own by default. */
  readonly clock?: Clock | undefined;
}

/** Address of a listener. */
export interface ListenAddress {
  /** Address or host name. */
  readonly host: string;
  /** Port; with 0 the system chooses one. */
  readonly port: number;
}

/** Result of `close`. */
export interface CloseResult {
  /** Requests whose replies were not sent at the deadline. */
  readonly cut: number;
}

/**
 * Serves HTTP/1.1 on sockets, and the additional protocol of its options.
 *
 * Connections above `limits.maxConnections` are reset without a reply, and their number is logged: a load balancer then tries another instance.
 * A client that half-closes abandons its unanswered requests; earlier replies are sent completely. All state belongs to the transport, except caches of pure
 * functions, such as the lower-case spelling of a field name (`docs/memos.md`).
 */
export interface Transport {
  /** Serves a connected socket, such as one that the primary process accepted. Bytes may have been put back with `unshift`. */
  accept(socket: Socket): void;
  /** Opens a listener and returns its address. @throws the system's error, such as EADDRINUSE */
  listen(address: ListenAddress): Promise<ListenAddress>;
  /**
   * Uses another certificate for new connections; open ones keep theirs. Without effect on a transport without TLS.
   *
   * @throws the system's error for a certificate that cannot be used; the previous one is kept
   */
  renewTls(tls: TransportTls): void;
  /** Closes the listeners. From now on the last reply of a connection has `Connection: close`; idle connections close after `drainIdleMs`. */
  drain(): void;
  /**
   * Drains, and resolves when the last connection is closed. After `deadlineMs` the remaining connections are cut and their requests counted.
   *
   * A second call returns the same promise. A socket passed to `accept` after the end is destroyed.
   */
  close(deadlineMs: number): Promise<CloseResult>;
  /** Closes this many connections, each with its next reply, as in a drain, because other processes have fewer. Replaces the number of an earlier call. */
  shed(count: number): void;
  /** Open connections. */
  readonly connections: number;
  /** Number of connections passed to `accept` so far. It stays the same while the queues of the listeners are empty. */
  readonly accepted: number;
  /** Requests in progress. */
  readonly inFlight: number;
}

/** Interface of a transport for the connections of an additional protocol. */
export interface ProtocolHost {
  /** Options of the transport: the app, limits and timeouts. */
  readonly options: TransportOptions;
  /** Whether the transport has begun to drain. */
  readonly draining: boolean;
  /** Monotonic milliseconds, as of the last sweep; the sweep that calls `check` runs once a second. */
  readonly now: number;
  /** Value of `Date`, at most a second old. */
  readonly date: string;
  /** Requests in progress; the connections count them. */
  inFlight: number;
  /** Calls `bodyGraceEnded` after at most 10 ms, whether the body has arrived or not. */
  readonly bodyGrace: { begin(waiting: BodyGraceListener): void };
  /** Registers a connection for sweeps and the drain. */
  add(connection: OpenConnection): void;
  /** Unregisters a closed connection. */
  remove(connection: OpenConnection): void;
  /** Calls `call` once after `delayMs`. Returns a function that cancels the call. */
  after(delayMs: number, call: () => void): () => void;
}

/**
 * A protocol served in addition to HTTP/1.1 on the ports of the service, such as HTTP/2. Its requests are passed to the app as `RequestSource`s, and its
 * connections are counted, drained and limited like HTTP/1.1 connections.
 *
 * With TLS it is offered before HTTP/1.1 (ALPN). Without TLS it is chosen by its first bytes, if it has a `preface`.
 */
export interface ConnectionProtocol {
  /** Its name in ALPN (RFC 7301), such as `h2`. */
  readonly alpn: string;
  /** First bytes of each of its connections, 64 at most. A protocol without a preface is served over TLS only. */
  readonly preface?: Uint8Array | undefined;
  /** The warning at the start of a service without TLS, for a protocol without a preface. */
  readonly unserved?: Problem | undefined;
  /**
   * Called once for each transport; returns the function that serves a connection: decrypted with TLS, with the preface still unread without.
   * The transport has counted the socket, and adds no listener for its errors.
   */
  open(host: ProtocolHost): (socket: Socket) => void;
}
