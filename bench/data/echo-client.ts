import { once } from "node:events";
import { connect, type Socket } from "node:net";

const payload = Buffer.alloc(100, "a");

/** A masked text frame of 100 bytes, and the length of its unmasked echo. */
const frame: Buffer = Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
const echoBytes = 2 + payload.length;

/** A WebSocket client with almost no overhead: sends one prebuilt frame and counts received bytes. */
export class EchoClient implements Disposable {
  private readonly socket: Socket;
  private missing = 0;
  private onEcho: (() => void) | null = null;
  private onFailure: ((error: Error) => void) | null = null;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (bytes) => this.count(bytes.length));
    socket.on("error", () => socket.destroy()); // reported by "close"
    socket.on("close", () => this.onFailure?.(new Error("the server closed the connection")));
    socket.resume();
  }

  /** Opens a connection with a handshake at a path. */
  static async open(port: number, path: string): Promise<EchoClient> {
    const socket = await openWebSocket(port, path);
    return new EchoClient(socket);
  }

  /** Sends the frame. Calls `onEcho` at the last byte of its echo, or `onFailure`. */
  send(onEcho: () => void, onFailure: (error: Error) => void): void {
    this.missing = echoBytes;
    this.onEcho = onEcho;
    this.onFailure = onFailure;
    this.socket.write(frame);
  }

  [Symbol.dispose](): void {
    this.onFailure = null;
    this.socket.destroy();
  }

  private count(bytes: number): void {
    this.missing -= bytes;
    if (this.missing === 0) this.onEcho?.();
    else if (this.missing < 0) this.onFailure?.(new Error("received more bytes than were sent"));
  }
}

/** Opens a connection and completes the handshake; the socket is paused. */
export const openWebSocket = async (port: number, path: string): Promise<Socket> => {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  const [reply] = (await once(socket, "data")) as [Buffer];
  socket.pause();
  socket.removeAllListeners("data");
  if (reply.toString("latin1", 0, 12) !== "HTTP/1.1 101")
    throw new Error(`the handshake failed: ${String(reply)}`);
  return socket;
};

/** Opens many connections in batches of 100, because the accept backlog is short. */
export const openMany = async <T>(count: number, open: () => Promise<T>): Promise<T[]> => {
  const opened: T[] = [];
  while (opened.length < count) {
    const length = Math.min(100, count - opened.length);
    opened.push(...(await Promise.all(Array.from({ length }, open))));
  }
  return opened;
};
