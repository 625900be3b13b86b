import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy before a server whose own address clients learn: it rewrites nothing, so it stands for the first connection alone. */
export interface CuttingProxy extends AsyncDisposable {
  readonly address: string;
  /** Closes all connections. */
  drop(): void;
}

/** Starts a proxy. @param port to listen on */
export const startProxy = async (to: string, port: number): Promise<CuttingProxy> => {
  const [host = "", target = ""] = to.split(":");
  const sockets = new Set<Socket>();
  const server = createServer((front) => {
    const back = connect(Number(target), host);
    for (const [socket, other] of [
      [front, back],
      [back, front],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    drop,
    async [Symbol.asyncDispose]() {
      drop();
      server.close();
      await once(server, "close");
    },
  };
};
