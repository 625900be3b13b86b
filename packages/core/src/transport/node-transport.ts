import { ConnectionHub } from "./hub/connection-hub.ts";
import { selectByPreface } from "./hub/preface-reader.ts";
import { NodeHttp } from "./node/node-http.ts";
import { overTls } from "./node/node-tls.ts";
import type { Socket } from "../exchange/socket.ts";
import type { Transport, TransportOptions } from "../exchange/transport.ts";

/**
 * HTTP/1.1 over `node:http`: serves every kind of message, TLS included.
 *
 * `node:http` parses messages and orders replies; this transport implements limits, additional validation, deadlines and the closing of connections.
 */
export const createNodeTransport = (options: TransportOptions): Transport =>
  new ConnectionHub(options, (hub) => {
    const node = new NodeHttp(hub);
    const http = (socket: Socket): void => node.take(socket, 0);
    const { tls } = hub.options;
    return tls === undefined ? selectByPreface(hub, http) : overTls(hub, tls, http);
  });
