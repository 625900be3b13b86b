import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** Treatment of the bytes between the service and PostgreSQL. */
export type NetworkMode = "passes" | "drops" | "refuses" | "delays" | "resets";

/** A TCP proxy on one port, whose behaviour can be changed while connections are open. */
export class FaultyNetwork {
  private readonly target: number;
  private readonly delayMs: number;
  private readonly sockets = new Set<Socket>();
  private server: Server | null = null;
  private mode: NetworkMode = "passes";
  port = 0;

  /** @param delayMs delay of each packet in the mode `delays` */
  constructor(target: number, delayMs: number) {
    this.target = target;
    this.delayMs = delayMs;
  }

  /** Changes the behaviour: `refuses` closes the port and all connections, any other opens the port. */
  async set(mode: NetworkMode): Promise<void> {
    this.mode = mode;
    if (mode === "refuses") await this.close();
    else if (this.server === null) await this.listen();
  }

  async close(): Promise<void> {
    const { server } = this;
    this.server = null;
    for (const socket of this.sockets) socket.resetAndDestroy();
    if (server === null) return;
    server.close();
    await once(server, "close");
  }

  private async listen(): Promise<void> {
    const server = createServer((client) => this.connect(client)).listen(this.port, "127.0.0.1");
    await once(server, "listening");
    this.server = server;
    this.port = (server.address() as { port: number }).port;
  }

  private connect(client: Socket): void {
    const upstream = connect(this.target, "127.0.0.1");
    const end = (): void => {
      for (const socket of [client, upstream]) {
        socket.destroy();
        this.sockets.delete(socket);
      }
    };
    for (const socket of [client, upstream]) {
      this.sockets.add(socket);
      socket.on("error", end).on("close", end);
    }
    client.on("data", (chunk: Buffer) => this.forward(chunk, client, upstream));
    upstream.on("data", (chunk: Buffer) => this.forward(chunk, upstream, client));
  }

  private forward(chunk: Buffer, from: Socket, to: Socket): void {
    switch (this.mode) {
      case "drops":
        return; // neither side is notified, as when a cable is unplugged
      case "resets":
        to.write(chunk); // the statement runs, its reply is lost
        from.resetAndDestroy();
        return;
      case "delays":
        setTimeout(() => to.writable && to.write(chunk), this.delayMs);
        return;
      default:
        to.write(chunk);
    }
  }
}
