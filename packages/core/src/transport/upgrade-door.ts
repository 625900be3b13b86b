import { Response } from "../response/response.ts";
import type { Duplex } from "./node-socket.ts";

/** A connection on which HTTP is over. */
export interface UpgradedConnection {
  /** The raw connection, decrypted with TLS. No limit of HTTP holds for it any more, except that it counts for `maxConnections`. */
  readonly socket: Duplex;
  /** Bytes that came behind the request already; they are not in `socket`. */
  readonly head: Uint8Array;
  /** Fields that middleware put on the 101 reply: name, value, name, value … For whoever writes it to send along. */
  readonly fields: readonly string[];
  /** Aborts when the service begins to drain: the time to say goodbye. What is open at the drain's deadline is cut. */
  readonly draining: AbortSignal;
}

/** Speaks on from here: writes the 101 reply first (RFC 9110 15.2.2). Should it throw, the connection is cut. */
export type BeginUpgraded = (connection: UpgradedConnection) => void;

/**
 * The wish of a client to speak WebSocket on its connection (RFC 6455 4.1). Guards, middleware and handler decide on it as on any request;
 * unless they accept it the request is answered as ordinary HTTP, and the connection closes behind the answer.
 *
 * @example
 * app.get("/echo", ({ upgrade }) => {
 *   if (upgrade === null) throw new HttpError(426, "This path speaks WebSocket", { headers: { upgrade: "websocket" } });
 *   return upgrade.accept(({ socket, head, fields }) => speak(socket, head, fields));
 * });
 */
export interface UpgradeDoor {
  /**
   * Gives the reply that accepts. When it has passed all middleware as 101, `begin` is called, once, and the request has ended; a reply of
   * another status is sent in its place and `begin` never called. Of several calls the last counts.
   */
  accept(begin: BeginUpgraded): Response;
}

/** The door of one request. */
export class RequestDoor implements UpgradeDoor {
  /** What the app wants to be called with the connection, `null` while nothing. */
  begin: BeginUpgraded | null = null;

  accept(begin: BeginUpgraded): Response {
    this.begin = begin;
    return Response.switchingProtocols();
  }
}
