import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** Whether a request offers an upgrade to WebSocket only (RFC 6455 4.1): a GET without a body whose `upgrade` names only this protocol. */
export const isWebSocketUpgrade = (request: IncomingMessage): boolean =>
  request.method === "GET" &&
  request.httpVersionMinor === 1 &&
  hasUpgrade(request.rawHeaders) &&
  offersWebSocket(request.headers);

/** Whether there is a field `upgrade`, without building all headers. */
const hasUpgrade = (fields: readonly string[]): boolean => {
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] as string;
    if (name.length === "upgrade".length && name.toLowerCase() === "upgrade") return true;
  }
  return false;
};

const offersWebSocket = (headers: IncomingHttpHeaders): boolean =>
  headers.upgrade?.toLowerCase() === "websocket" &&
  /(?:^|,)[ \t]*upgrade[ \t]*(?:,|$)/i.test(headers.connection ?? "") &&
  (headers["content-length"] ?? "0") === "0" &&
  headers["transfer-encoding"] === undefined &&
  headers.expect === undefined;
