import type { LimitsConfig } from "../config/limits-config.ts";
import type { TimeoutConfig } from "../config/timeout-config.ts";
import type { HttpError } from "../errors/http-error.ts";
import type { Logger } from "../log/logger.ts";
import type { Awaitable } from "../middleware/middleware.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Socket } from "./socket.ts";
import type { Reply } from "./reply.ts";
import type { RequestSource } from "./request-source.ts";

/** Answers one request. It never rejects: every error became a reply inside; should it fail all the same, the client gets a plain 500. */
export type Serve = (source: RequestSource) => Awaitable<Reply>;

/**
 * Makes the reply for a message that no handler sees, at once: bad framing, limits on the head, a head that came too slowly.
 *
 * `message` is what could be read of it; `null` for a request that the app has answered, when that answer cannot be written.
 */
export type Reject = (error: HttpError, message: RequestSource | null) => Reply;

/** Certificate and rules of a TLS listener. */
export interface TransportTls {
  /** Certificate chain, PEM. */
  readonly cert: string | Uint8Array;
  /** Private key, PEM. */
  readonly key: string | Uint8Array;
  /** Authorities that client certificates must come from, PEM. */
  readonly ca?: string | Uint8Array | undefined;
  /** Refuses handshakes without a client certificate that `ca` vouches for. @default false */
  readonly requireClientCert?: boolean | undefined;
  /** Lowest TLS version. @default "1.2" */
  readonly minVersion?: "1.2" | "1.3" | undefined;
}

export interface TransportOptions {
  readonly serve: Serve;
  readonly reject: Reject;
  readonly limits: LimitsConfig;
  readonly timeouts: TimeoutConfig;
  readonly log: Logger;
  /** With it every connection speaks TLS. */
  readonly tls?: TransportTls | undefined;
  /** Milliseconds that an idle connection is kept after `drain`, so that a request already under way gets its answer. @default 1000 */
  readonly drainIdleMs?: number | undefined;
  /** Time and timers; the process's own by default. */
  readonly clock?: Clock | undefined;
}

/** Where a listener listens. */
export interface ListenAddress {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

/** What `close` had to break off. */
export interface Closed {
  /** Requests whose answer was not out at the deadline. */
  readonly cut: number;
}

/**
 * Speaks HTTP/1.1 on sockets and serves what arrives.
 *
 * Connections above `limits.maxConnections` are dropped without an answer, and the count is logged: under such load the reset tells a load
 * balancer to try elsewhere. A client that half-closes gives up what was not answered yet.
 */
export interface Transport {
  /** Takes over a connection: from the primary process, another listener, or with bytes put back by `unshift`. */
  accept(socket: Socket): void;
  /** Opens a listener of its own. @throws the system's error, such as EADDRINUSE */
  listen(address: ListenAddress): Promise<ListenAddress>;
  /** Stops listening; from now on every last answer on a connection says `Connection: close`; idle connections close after `drainIdleMs`. */
  drain(): void;
  /**
   * Drains, and resolves when the last connection is gone; what is left after `deadlineMs` is cut and counted.
   *
   * Called again it gives the same promise; a socket that comes later is destroyed.
   */
  close(deadlineMs: number): Promise<Closed>;
  /** Open connections. */
  readonly connections: number;
  /** Requests that are being answered. */
  readonly inFlight: number;
}
