import { ConnectionHub } from "./hub/connection-hub.ts";
import { NodeHttp } from "./node/node-http.ts";
import type { Transport, TransportOptions } from "../exchange/transport.ts";

/**
 * HTTP/1.1 over `node:http`: the transport for everything, TLS included.
 *
 * `node:http` parses and orders; limits, strictness, deadlines and the end of connections are decided here. It is stricter than plain
 * `node:http`, and as lenient in three harmless places that cannot be seen from outside its parser: more than one blank between the parts of
 * a request line, empty lines before it, and the protocol names `RTSP` and `ICE` in place of `HTTP`.
 */
export const createNodeTransport = (options: TransportOptions): Transport =>
  new ConnectionHub(options, (hub) => {
    const node = new NodeHttp(hub);
    return (socket) => node.take(socket, 0);
  });
