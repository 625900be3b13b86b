import type { IncomingMessage } from "node:http";

/** Whether a request offers WebSocket alone (RFC 6455 4.1): a GET without a body whose `upgrade` names only that protocol. */
export const wantsWebSocket = ({ method, httpVersionMinor, headers }: IncomingMessage): boolean =>
  method === "GET" &&
  httpVersionMinor === 1 &&
  headers.upgrade?.toLowerCase() === "websocket" &&
  /(?:^|,)[ \t]*upgrade[ \t]*(?:,|$)/i.test(headers.connection ?? "") &&
  (headers["content-length"] ?? "0") === "0" &&
  headers["transfer-encoding"] === undefined &&
  headers.expect === undefined;
