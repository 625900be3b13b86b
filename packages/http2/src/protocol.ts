import type { ServerOptions } from "node:http2";
import type { ConnectionProtocol, ProtocolHost, TransportOptions } from "@framework/core/feature";
import { Http2Connection } from "./connection.ts";
import type { Http2Config } from "./http2-config.ts";
import { ReplyFields } from "./reply-fields.ts";
import { respondOf } from "./respond.ts";
import type { Http2Totals } from "./totals.ts";

const preface = new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Creates the HTTP/2 protocol for the transports. @param nodeVersion version of Node. @default the running one */
export const http2Protocol = (
  config: Http2Config,
  totals: Http2Totals,
  nodeVersion: string = process.versions.node,
): ConnectionProtocol => ({
  alpn: "h2",
  preface: config.h2c ? preface : undefined,
  unserved: {
    code: "HTTP2_NOT_SERVED",
    message:
      "enableHttp2: this service has no TLS, so clients get HTTP/1.1 only; give run a certificate (tls), or call enableHttp2({ h2c: true }) behind a proxy",
  },
  open: (host) => openProtocol(host, config, totals, nodeVersion),
});

const openProtocol = (
  host: ProtocolHost,
  config: Http2Config,
  totals: Http2Totals,
  nodeVersion: string,
): ReturnType<ConnectionProtocol["open"]> => {
  // Loaded here instead of imported: only a serving process needs it.
  const { performServerHandshake } = process.getBuiltinModule("node:http2");
  const options = sessionOptions(config, host.options.limits);
  const shared = { host, config, totals, replyFields: new ReplyFields(), respond: respondOf(nodeVersion) };
  return (socket) => {
    socket.allowHalfOpen = false; // a client that half-closes has disconnected: HTTP/2 has no half-closed connections
    const session = performServerHandshake(socket, options);
    session.setLocalWindowSize(config.connectionWindowBytes);
    host.add(new Http2Connection(session, socket, shared));
  };
};

/** Additional fields for cookie pairs in separate fields: browsers keep up to 180 cookies of a site. */
const COOKIE_PAIRS = 200;

/**
 * Returns the limits that `node:http2` and nghttp2 enforce. The header limits are above the limits of the service, so that a head between the two gets 431
 * instead of a reset.
 */
export const sessionOptions = (config: Http2Config, limits: TransportOptions["limits"]): ServerOptions => ({
  maxHeaderListPairs: 2 * limits.maxHeaderFields + 8 + COOKIE_PAIRS,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  maxOutstandingPings: 2,
  strictSingleValueFields: false, // as over HTTP/1.1: a reply has the fields that its handler gave it
  streamResetBurst: config.resetBurst,
  streamResetRate: config.resetsPerSec,
  settings: {
    enablePush: false,
    enableConnectProtocol: false,
    initialWindowSize: config.streamWindowBytes,
    maxConcurrentStreams: config.maxConcurrentStreams,
    maxHeaderListSize: 2 * (limits.maxRequestLine + limits.maxHeaderBytes) + 64 * limits.maxHeaderFields,
  },
});
