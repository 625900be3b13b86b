import type { Duplex } from "./socket.ts";

/** An upgraded connection: HTTP has ended on it, and no limit or deadline of the transport applies, except `maxConnections`. */
export interface UpgradedConnection {
  /** The raw connection; decrypted, with TLS. */
  readonly socket: Duplex;
  /** Bytes received after the request; `socket` does not emit them again. */
  readonly head: Uint8Array;
  /** Fields that middleware set on the 101 reply, to be sent with it: name, value, name, value … */
  readonly fields: readonly string[];
  /** Aborts when the service begins to drain, so that the protocol can close properly. At the drain's deadline the connection is cut. */
  readonly draining: AbortSignal;
}

/** Takes over an upgraded connection, and writes the 101 reply first (RFC 9110 15.2.2). If it throws, the connection is cut. */
export type UpgradeHandler = (connection: UpgradedConnection) => void;

/** A client's offer to upgrade its connection. */
export interface UpgradeOffer {
  /** Sets the function to call with the connection when a reply of status 101 has passed all middleware. The last call counts. */
  accept(begin: UpgradeHandler): void;
}
