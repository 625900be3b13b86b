import type { UpgradeOffer } from "./upgrade.ts";

/** How an exchange ended: the reply went out whole, or the connection was lost before that. */
export type ExchangeEnd = "sent" | "aborted";

/**
 * One request as a transport hands it to the app: framed, within the limits on its head, its body not read yet.
 *
 * `node:http`, the framework's own HTTP/1.1 path and `app.fetch` each make one; nothing behind it knows which.
 */
export interface RequestSource {
  /** Token as received; upper case is significant. */
  readonly method: string;
  /** Origin-form (`/books?genre=x`) or `*`; an absolute-form target was split into `authority` and this. */
  readonly target: string;
  readonly scheme: "http" | "https";
  /** Authority of the request (RFC 9112 3.2): of an absolute-form target, else the Host field; empty for HTTP/1.0 without one. */
  readonly authority: string;
  /** Address of the peer, `null` when there is no socket. */
  readonly remoteAddress: string | null;
  /** Fields as received: name, value, name, value … */
  readonly fields: readonly string[];
  /** Value of a field by its lower-case name; repeated list fields joined with `, `, cookies with `; `; `null` when absent. */
  field(name: string): string | null;
  /** Length of the body in bytes; 0 without one, `null` while unknown (chunked). */
  readonly bodyLength: number | null;
  /** The whole body when the transport already holds it, else `null`; perhaps a part of what it has read, so that who keeps it copies it. */
  readonly buffered: Uint8Array | null;
  /** The body's chunks as they arrive, with back-pressure; may be taken once. Fails when the client goes away or is too slow. */
  chunks(): AsyncIterable<Uint8Array>;
  /** The client's request for WebSocket, if it made one. */
  readonly upgrade?: UpgradeOffer;
  /** Calls back once, when the reply is out or the connection is lost; at once if that has happened. */
  onEnd(listener: (end: ExchangeEnd) => void): void;
}
