import { connect, type Socket } from "node:net";

/** Opens a connection to a service and writes a request whose target is exactly the text given. */
export const openRaw = (
  url: string,
  target: string,
  fields: readonly string[] = [],
  method = "GET",
): Socket => {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const lines = [`${method} ${target} HTTP/1.1`, "host: localhost", "connection: close", ...fields, "", ""];
  socket.write(lines.join("\r\n"), "latin1");
  return socket;
};

/** Bytes received until the service closed, one character per byte, and whether the connection was reset. */
export interface RawReply {
  readonly status: number;
  readonly head: string;
  readonly body: string;
  readonly isReset: boolean;
}

/** Reads a connection to its end. */
export const readRaw = (socket: Socket): Promise<RawReply> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let isReset = false;
    socket.on("data", (chunk: Buffer) => void chunks.push(chunk));
    socket.on("error", () => (isReset = true));
    socket.on("close", () => {
      const text = Buffer.concat(chunks).toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      const head = text.slice(0, Math.max(0, end));
      const body = end === -1 ? "" : text.slice(end + 4);
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), head, body, isReset });
    });
  });

/** Sends one request on its own connection. */
export const sendRaw = (
  url: string,
  target: string,
  fields: readonly string[] = [],
  method = "GET",
): Promise<RawReply> => readRaw(openRaw(url, target, fields, method));

/** Sends requests one after the other on one connection, and reconnects if the service closes it. */
export class RawConversation {
  private readonly url: URL;
  private socket: Socket | null = null;
  private received = "";
  private changed: () => void = () => {};

  constructor(url: string) {
    this.url = new URL(url);
  }

  /** Sends GET with exactly this target, and returns the reply by its `Content-Length`. */
  async get(target: string): Promise<{ status: number; head: string; body: string }> {
    const socket = (this.socket ??= this.connected());
    this.received = "";
    socket.write(`GET ${target} HTTP/1.1\r\nhost: localhost\r\n\r\n`, "latin1");
    while (this.socket !== null && !this.isComplete())
      await new Promise<void>((resolve) => (this.changed = resolve));
    const { received } = this;
    if (/\r\nconnection: close\r\n/i.test(received)) this.close();
    const end = received.indexOf("\r\n\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0);
    return {
      status,
      head: received.slice(0, Math.max(0, end)),
      body: end === -1 ? "" : received.slice(end + 4),
    };
  }

  close(): void {
    this.socket?.destroy();
    this.socket = null;
  }

  private isComplete(): boolean {
    const end = this.received.indexOf("\r\n\r\n");
    const length = /\r\ncontent-length: (\d+)\r\n/i.exec(this.received)?.[1];
    return end !== -1 && length !== undefined && this.received.length >= end + 4 + Number(length);
  }

  private connected(): Socket {
    const socket = connect({ host: this.url.hostname, port: Number(this.url.port), noDelay: true });
    socket.on("data", (chunk: Buffer) => {
      if (this.socket !== socket) return;
      this.received += chunk.toString("latin1");
      this.changed();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.changed();
    });
    return socket;
  }
}
