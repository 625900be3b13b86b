import type { DescribedRequest } from "./request-fields.ts";
import type { UpgradeOffer } from "./upgrade.ts";

/** End of an exchange: the complete reply was sent, or the connection was lost before that. */
export type ExchangeEnd = "sent" | "aborted";

/**
 * One request as a transport passes it to the app: framed, and with a head within the limits.
 *
 * `node:http`, the fast path and `app.fetch` each implement it, and the app cannot tell them apart. All members can be read until the exchange ends and after
 * it; only `chunks`, `inform`, `upgrade` and a first read of `remoteAddress` depend on the connection. None of it may be changed: lists and bytes may be shared with later requests.
 */
export interface RequestSource {
  /** Method as received, a token; case is significant. */
  readonly method: string;
  /** Origin-form (`/books?genre=x`) or `*`; an absolute-form target was split into `authority` and this. */
  readonly target: string;
  /** Whether the target is known to be a path of visible ASCII without escapes, dots, query and fragment. @default unknown */
  readonly isPlain?: boolean;
  /** `2` for HTTP/2. @default HTTP/1.1 or 1.0 */
  readonly httpVersion?: "2";
  /** Scheme of the connection. */
  readonly scheme: "http" | "https";
  /** Authority of the request (RFC 9112 3.2): of an absolute-form target, else the Host field; empty for HTTP/1.0 without one. */
  readonly authority: string;
  /** Address of the peer; `null` when there is no socket, and possibly when it is first read after the client has disconnected. */
  readonly remoteAddress: string | null;
  /**
   * Fields as received: name, value, name, value …
   *
   * The list must not be changed, and does not change: a transport may return the same list for later requests with equal fields.
   */
  readonly fields: readonly string[];
  /**
   * Value of a field by its lower-case name, `null` when absent. Repeated fields are joined with `, `, cookies with `; `; of a repeated
   * singleton field the first value counts.
   */
  field(name: string): string | null;
  /** Length of the body in bytes; 0 without one, `null` while unknown (chunked). */
  readonly bodyLength: number | null;
  /**
   * The complete body if the transport already has it, else `null`.
   *
   * It may be a view into a larger buffer of the transport, and must not be changed. Code that keeps it beyond the request copies it, so that it
   * does not keep the buffer in memory.
   */
  readonly buffered: Uint8Array | null;
  /** Offset of the complete body, followed by a NUL, in core's input window; -1 if it is not there. @default not there */
  inWindow?(): number;
  /**
   * The body's chunks as they arrive, with backpressure; can be iterated once, also when `buffered` is set.
   *
   * An early `return` stops reading and keeps the connection. A read fails with an `HttpError`: 408 for a client that is too slow, 400 for
   * malformed chunks, CORE_CLIENT_DISCONNECTED after a disconnect. A second iteration throws.
   */
  chunks(): AsyncIterable<Uint8Array>;
  /**
   * Sends an interim reply (RFC 9110 15.2) before the reply. Returns whether it was sent: not to HTTP/1.0, not after the reply, and not while an earlier
   * reply of the connection is pending or the client does not read.
   *
   * @param fields checked header lines: name, value, name, value …
   */
  inform?(status: number, fields: readonly string[]): boolean;
  /** The app's request of this exchange, for the transport's log lines; set by the app, which sets no other member. */
  described?: DescribedRequest | null;
  /** The client's offer to upgrade to WebSocket, if it made one. */
  readonly upgrade?: UpgradeOffer;
  /**
   * Calls `listener` once, when the reply was sent or the connection was lost; at once if that has already happened. A listener must not throw.
   */
  onEnd(listener: (end: ExchangeEnd) => void): void;
}
