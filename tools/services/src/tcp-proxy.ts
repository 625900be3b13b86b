import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

/** A proxy between a client and the server, with faults of a network. */
export interface TcpProxy extends AsyncDisposable {
  /** Address of the server, with that of the proxy in its place. */
  readonly url: string;
  /** Whether bytes are forwarded; otherwise connections stay open without answers. */
  isForwarding: boolean;
  /** Connections that were accepted. */
  readonly accepted: number;
  /** Closes all connections. */
  drop(): void;
}

/**
 * Starts a proxy on loopback.
 *
 * @param to address of the server: a URL
 * @param tls certificate and key, for clients that use TLS; the server gets the plain text
 */
export const startProxy = async (
  to: string,
  tls?: { readonly cert: string; readonly key: string },
): Promise<TcpProxy> => {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  let accepted = 0;
  const forward = (front: Socket): void => {
    accepted++;
    const back = connect(Number(target.port), target.hostname);
    for (const socket of [front, back]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        front.destroy();
        back.destroy();
      });
    }
    front.on("data", (chunk: Buffer) => void (proxy.isForwarding && back.write(chunk)));
    back.on("data", (chunk: Buffer) => void (proxy.isForwarding && front.write(chunk)));
  };
  const server: Server = tls === undefined ? createServer(forward) : createTlsServer(tls, forward);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = to.replace(target.host, address);
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const proxy = {
    url: tls === undefined ? url : url.replace("://", "s://"),
    isForwarding: true,
    get accepted() {
      return accepted;
    },
    drop,
    async [Symbol.asyncDispose]() {
      drop();
      server.close();
      await once(server, "close");
    },
  };
  return proxy;
};
