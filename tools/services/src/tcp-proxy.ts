import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

/** A TCP proxy between a client and a server, with network faults. */
export interface TcpProxy extends AsyncDisposable {
  /** URL of the server with the address of the proxy. */
  readonly url: string;
  /**
   * `pass`: forward everything; `silent`: keep connections open but forward nothing; `slow`: delay each reply by 200 ms; `cut`: forward requests,
   * close the connection at the next reply, then `pass`.
   */
  mode: "pass" | "silent" | "slow" | "cut";
  /** Number of accepted connections. */
  readonly accepted: number;
  /** Closes all connections. */
  drop(): void;
}

/** Options of a proxy. */
export interface TcpProxyOptions {
  /** Port to listen on. @default a free one */
  readonly port?: number;
  /** Certificate and key, for clients that use TLS; the connection to the server stays plain. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

const SLOW_MS = 200;

/** Starts a proxy on loopback. @param to `host:port` or URL of the server */
export const startProxy = async (to: string, { port = 0, tls }: TcpProxyOptions = {}): Promise<TcpProxy> => {
  const target = new URL(to.includes("://") ? to : `tcp://${to}`);
  const sockets = new Set<Socket>();
  let accepted = 0;
  const forward = (front: Socket): void => {
    accepted++;
    const back = connect(Number(target.port), target.hostname);
    for (const socket of [front, back]) {
      sockets.add(socket);
      socket.on("error", () => {}); // the close follows
      socket.on("close", () => {
        sockets.delete(socket);
        front.destroy();
        back.destroy();
      });
    }
    front.on("data", (chunk: Buffer) => void (proxy.mode !== "silent" && back.write(chunk)));
    back.on("data", (chunk: Buffer) => forwardReply(proxy, front, chunk));
  };
  const server: Server = tls === undefined ? createServer(forward) : createTlsServer(tls, forward);
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const url = to.replace(target.host, `127.0.0.1:${(server.address() as AddressInfo).port}`);
  const proxy: TcpProxy = {
    url: tls === undefined ? url : url.replace("://", "s://"),
    mode: "pass",
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

const forwardReply = (proxy: TcpProxy, front: Socket, chunk: Buffer): void => {
  if (proxy.mode === "cut") {
    proxy.mode = "pass";
    front.destroy();
  } else if (proxy.mode === "slow") setTimeout(() => front.write(chunk), SLOW_MS);
  else if (proxy.mode === "pass") front.write(chunk);
};
