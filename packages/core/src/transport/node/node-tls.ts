import type { Server, TLSSocket, TlsOptions } from "node:tls";
import type { ConnectionHub, ServeSocket } from "../hub/connection-hub.ts";
import { TlsHandshake } from "./tls-handshake.ts";
import type { TransportOptions, TransportTls } from "../../exchange/transport.ts";

/**
 * Terminates TLS for HTTP/1.1 and for the transport's additional protocol; the client selects one in the handshake (ALPN).
 *
 * @param http serves a decrypted connection over HTTP/1.1
 * @returns the function that serves a raw socket
 * @throws the system's error for a certificate that cannot be used
 */
export const overTls = (hub: ConnectionHub, tls: TransportTls, http: ServeSocket): ServeSocket => {
  const { protocol } = hub.options;
  const serve = protocol?.open(hub);
  const server = createServer(hub.options, tls);
  server.on("secureConnection", (socket: TLSSocket) => {
    socket.allowHalfOpen = true;
    if (serve !== undefined && socket.alpnProtocol === protocol?.alpn) serve(socket);
    else http(socket);
  });
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  hub.onRenewTls = (renewed) => {
    const context = contextOptions(renewed);
    process.getBuiltinModule("node:tls").createSecureContext(context); // throws before anything is changed
    server.setSecureContext(context);
  };
  return (socket) => {
    socket.on("error", ignore); // the decrypted socket has its own listeners
    socket.allowHalfOpen = false; // a client that half-closes cannot complete its handshake
    new TlsHandshake(socket, hub);
    server.emit("connection", socket);
    if (socket.isPaused()) socket.resume();
  };
};

/** Creates a server that does not listen; `emit("connection")` is the documented way to pass it a socket. */
const createServer = ({ timeouts, protocol }: TransportOptions, tls: TransportTls): Server => {
  const { requireClientCert = false } = tls;
  return process.getBuiltinModule("node:tls").createServer({
    ...contextOptions(tls),
    requestCert: requireClientCert,
    rejectUnauthorized: requireClientCert,
    ALPNProtocols: protocol === undefined ? ["http/1.1"] : [protocol.alpn, "http/1.1"],
    handshakeTimeout: timeouts.readHeaderSecs * 1000,
  });
};

const contextOptions = ({ cert, key, ca, minVersion = "1.2" }: TransportTls): TlsOptions => ({
  cert: bytes(cert),
  key: bytes(key),
  ...(ca === undefined ? {} : { ca: bytes(ca) }),
  minVersion: `TLSv${minVersion}`,
});

const bytes = (pem: string | Uint8Array): string | Buffer =>
  typeof pem === "string" ? pem : Buffer.from(pem);

/** A socket error needs no handling, because the socket then closes. */
const ignore = (): void => {};
