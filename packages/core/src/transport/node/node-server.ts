import type { IncomingMessage, Server, ServerOptions } from "node:http";
import type { NodeHeadCache } from "./node-head-cache.ts";
import { requestClass, responseClass } from "./node-messages.ts";
import type { TransportOptions } from "../../exchange/transport.ts";

/**
 * A server that does not listen; sockets are passed to it. Its own timeouts are off, because the hub's sweep enforces them.
 *
 * @param shouldUpgrade whether an Upgrade request is emitted as `upgrade`, otherwise as `request`
 * @param cacheOf the head cache of a request's connection
 */
export const createNodeServer = (
  { limits }: TransportOptions,
  shouldUpgrade: (request: IncomingMessage) => boolean,
  cacheOf: (request: IncomingMessage) => NodeHeadCache | undefined,
): Server => {
  const options: ServerOptions = {
    // Node limits target and fields together; `readHead` enforces a limit for each.
    maxHeaderSize: limits.maxRequestLine + limits.maxHeaderBytes,
    requireHostHeader: false,
    insecureHTTPParser: false,
    keepAliveTimeout: 0,
    headersTimeout: 0,
    requestTimeout: 0,
    optimizeEmptyRequests: true,
    shouldUpgradeCallback: shouldUpgrade,
    IncomingMessage: requestClass(cacheOf),
    ServerResponse: responseClass(),
  };
  const server = process.getBuiltinModule("node:http").createServer(options);
  server.maxHeadersCount = 0; // with a limit Node drops fields silently; `readHead` refuses instead
  server.timeout = 0;
  // Not documented: without it, node:http ends the socket when the client half-closes, and cuts the replies that are being sent. If a release of Node
  // ignored it, the conformance suite would fail.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  return server;
};
