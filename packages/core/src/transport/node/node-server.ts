import type { IncomingMessage, Server, ServerOptions } from "node:http";
import { messageClasses, showHeaders } from "./node-messages.ts";
import type { TransportOptions } from "../../exchange/transport.ts";

/**
 * Creates a server that does not listen; sockets are passed to it. Its own timeouts are disabled, because the hub's sweep enforces deadlines.
 *
 * @param shouldUpgrade whether an Upgrade request is emitted as `upgrade`, otherwise as `request`
 */
export const createNodeServer = (
  { limits }: TransportOptions,
  shouldUpgrade: (request: IncomingMessage) => boolean,
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
    ...messageClasses(),
  };
  const server = process.getBuiltinModule("node:http").createServer(options);
  server.maxHeadersCount = 0; // with a limit Node drops fields silently; `readHead` refuses the request instead
  server.timeout = 0;
  // Not documented: without it, node:http ends the socket when the client half-closes, and cuts the replies that are being sent. If a release of Node
  // ignored it, the conformance suite would fail.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  showHeaders(server);
  return server;
};
