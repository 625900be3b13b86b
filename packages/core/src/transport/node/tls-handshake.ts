import type { ConnectionHub } from "../hub/connection-hub.ts";
import type { OpenConnection } from "../../exchange/open-connection.ts";
import type { Socket } from "../../exchange/socket.ts";

/**
 * A connection during its handshake. It is registered so that a drain cuts it while the client is silent. The TLS server's `handshakeTimeout` is its deadline.
 */
export class TlsHandshake implements OpenConnection {
  private readonly socket: Socket;
  private readonly hub: ConnectionHub;

  constructor(socket: Socket, hub: ConnectionHub) {
    this.socket = socket;
    this.hub = hub;
    socket.on("close", () => hub.remove(this));
    hub.add(this);
  }

  get idle(): boolean {
    return this.socket.bytesRead === 0;
  }

  get used(): boolean {
    return false;
  }

  /**
   * Unregisters the connection in the first sweep after the client's first bytes: it is no longer idle, and its handshake completes or fails by the deadline.
   */
  check(): void {
    if (!this.idle) this.hub.remove(this);
  }

  cut(): void {
    this.socket.destroy();
  }
}
