import type { IncomingMessage } from "node:http";

/** Whether a request asks for WebSocket (RFC 6455 4.1) and nothing else: a GET without a body, naming that one protocol. */
export const wantsWebSocket = ({ method, httpVersionMinor, headers }: IncomingMessage): boolean =>
  method === "GET" &&
  httpVersionMinor === 1 &&
  headers.upgrade?.toLowerCase() === "websocket" &&
  (headers["content-length"] ?? "0") === "0" &&
  headers["transfer-encoding"] === undefined &&
  headers.expect === undefined;
