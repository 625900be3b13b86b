import { ConnectionHub } from "./hub/connection-hub.ts";
import { FastConnection, type FastConnectionHost } from "./fast/fast-connection.ts";
import { emptyFastHead, type FastHead } from "./fast/fast-request-head.ts";
import { NodeHttp } from "./node/node-http.ts";
import type { Socket } from "../exchange/socket.ts";
import { createNodeTransport } from "./node-transport.ts";
import type { Transport, TransportOptions } from "../exchange/transport.ts";

/**
 * HTTP/1.1 by the framework itself: ordinary requests with an ordinary answer take no part of `node:http`.
 *
 * A connection that shows anything else goes on over `node:http`, loaded when the first one does, with every byte that was not answered yet:
 * that transport alone refuses, upgrades, continues and reads long bodies, so that both answer alike. With `tls` all connections are its own.
 */
export const createFastTransport = (options: TransportOptions): Transport =>
  options.tls === undefined
    ? new ConnectionHub(options, (hub) => {
        const fast = new FastHttp(hub);
        return (socket) => hub.add(new FastConnection(socket, fast));
      })
    : createNodeTransport(options);

/** What the connections of one fast transport share. */
class FastHttp implements FastConnectionHost {
  readonly hub: ConnectionHub;
  readonly head: FastHead = emptyFastHead();
  private node: NodeHttp | null = null;

  constructor(hub: ConnectionHub) {
    this.hub = hub;
  }

  handOver(connection: FastConnection, socket: Socket, served: number): void {
    this.hub.remove(connection);
    this.node ??= new NodeHttp(this.hub);
    this.node.take(socket, served);
  }
}
