import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy between a client and a server, with network faults. */
export interface CuttingProxy extends AsyncDisposable {
  readonly url: string;
  /**
   * `pass`: forward everything; `silent`: keep connections open but forward nothing; `slow`: delay each answer by 200 ms; `cut`: forward requests,
   * close the connection at the next answer, then `pass`.
   */
  mode: "pass" | "silent" | "slow" | "cut";
  /** Closes all connections. */
  drop(): void;
}

export const startProxy = async (to: string): Promise<CuttingProxy> => {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  const server = createServer((front) => {
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
    front.on("data", (chunk: Buffer) => void (proxy.mode !== "silent" && back.write(chunk)));
    back.on("data", (chunk: Buffer) => {
      if (proxy.mode === "cut") {
        proxy.mode = "pass";
        front.destroy();
      } else if (proxy.mode === "slow") setTimeout(() => front.write(chunk), 200);
      else if (proxy.mode === "pass") front.write(chunk);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const proxy: CuttingProxy = {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mode: "pass",
    drop,
    async [Symbol.asyncDispose]() {
      drop();
      server.close();
      await once(server, "close");
    },
  };
  return proxy;
};
