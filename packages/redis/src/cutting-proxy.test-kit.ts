import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Stands between a client and a server, and fails as networks do. */
export interface CuttingProxy extends AsyncDisposable {
  readonly url: string;
  /**
   * `pass` everything; `silent`: keep connections open and hand on nothing; `slow`: hand on each answer after 200 ms; `cut`: hand on what is asked,
   * break the connection at the answer, and pass everything from then on.
   */
  mode: "pass" | "silent" | "slow" | "cut";
  /** Breaks all connections. */
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
