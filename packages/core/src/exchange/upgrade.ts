import type { Duplex } from "./socket.ts";

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

/** A request to upgrade its connection, as the transport hands it over. */
export interface UpgradeOffer {
  /** Names what to call with the connection once a reply of status 101 has passed all middleware. Of several calls the last counts. */
  accept(begin: BeginUpgraded): void;
}
