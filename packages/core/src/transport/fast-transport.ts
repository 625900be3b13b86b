import { ConnectionHub } from "./hub/connection-hub.ts";
import { FastConnection, type FastConnectionHost } from "./fast/fast-connection.ts";
import { emptyFastHead, type FastHead } from "./fast/fast-head.ts";
import { ReplyHeads } from "./fast/reply-heads.ts";
import { selectByPreface } from "./hub/preface-reader.ts";
import { NodeHttp } from "./node/node-http.ts";
import type { Socket } from "../exchange/socket.ts";
import { createNodeTransport } from "./node-transport.ts";
import type { Transport, TransportOptions } from "../exchange/transport.ts";

/**
 * HTTP/1.1 over the framework's own parser and writer: ordinary requests and replies do not use `node:http`.
 *
 * The first unsupported message moves its connection, with all unread bytes, to `node:http`, which is loaded on first use. Only the code for `node:http`
 * rejects messages, upgrades connections, sends 100 Continue and reads long bodies, so both transports behave identically. With `tls` all connections use
 * `node:http`.
 */
export const createFastTransport = (options: TransportOptions): Transport =>
  options.tls === undefined
    ? new ConnectionHub(options, (hub) => {
        const fast = new FastHttp(hub);
        return selectByPreface(hub, (socket) => hub.add(new FastConnection(socket, fast)));
      })
    : createNodeTransport(options);

/** State that the connections of one fast transport share. */
class FastHttp implements FastConnectionHost {
  readonly hub: ConnectionHub;
  readonly head: FastHead = emptyFastHead();
  readonly replyHeads: ReplyHeads = new ReplyHeads();
  private node: NodeHttp | null = null;

  constructor(hub: ConnectionHub) {
    this.hub = hub;
  }

  handOver(connection: FastConnection, socket: Socket, served: number, headSince: number | null): void {
    this.hub.remove(connection);
    this.node ??= new NodeHttp(this.hub);
    this.node.take(socket, served, headSince);
  }
}
