import { connect, type Socket } from "node:net";
import { ReplyCounter } from "./reply-counter.ts";
import type { Shot } from "./shot.ts";

/** Shared by all connections: bytes are counted before the next read. */
const readBuffer = Buffer.allocUnsafe(128 * 1024);

/** Returns whether the last reply has `Connection: close`. Not checked for replies of fixed length, where the field is an error. */
const announcesClose = ({ end }: Shot, buffer: Uint8Array, length: number): boolean => {
  if (end.kind !== "body") return false;
  const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, length);
  return bytes.includes("Connection: close") || bytes.includes("connection: close");
};

/** Callbacks of a connection. */
export interface Driver {
  /** The next bytes to send. */
  readonly bytesOf: (shot: Shot) => Buffer;
  /** Called when all replies of the shot have arrived; returns whether to send it again. */
  readonly onReplies: (connection: LoadConnection) => boolean;
  /** Called when the server closes this connection after its last reply; sends the shot over a new one. */
  readonly replace: (connection: LoadConnection, shot: Shot) => void;
  /** Called when the connection fails while replies are outstanding. */
  readonly onError: (error: Error) => void;
}

/** A keep-alive connection with almost no allocations per request, so that the client does not distort the measurement. */
export class LoadConnection {
  /** Milliseconds of `performance.now()` at which the last shot was sent. */
  sentAt = 0;
  private readonly socket: Socket;
  private readonly driver: Driver;
  private shot: Shot | null = null;
  /** Received part of the handshake reply; null once it is complete. */
  private handshakeReply: string | null = null;
  private counter: ReplyCounter | null = null;
  private outstanding = 0;
  private isOpened = false;

  constructor(port: number, driver: Driver) {
    this.driver = driver;
    this.socket = connect({
      port,
      host: "127.0.0.1",
      noDelay: true,
      onread: { buffer: readBuffer, callback: (length, buffer) => this.read(length, buffer) },
    });
    this.socket.on("error", (error) => this.fail(error));
    this.socket.on("close", () => this.fail(new Error("the server closed a connection")));
  }

  /** Whether the connection can still be used; a server may have closed it while it was idle. */
  get usable(): boolean {
    return !this.socket.destroyed && !this.socket.readableEnded;
  }

  /** Sends a shot; `onReplies` decides whether it is sent again. */
  fire(shot: Shot): void {
    if (this.shot !== shot) {
      this.shot = shot;
      this.counter = new ReplyCounter(shot.end, shot.status);
    }
    this.outstanding = shot.depth;
    if (!this.usable) return this.fail(new Error("the server closed a connection before its next request"));
    if (shot.opening !== undefined && !this.isOpened) {
      this.isOpened = true;
      this.handshakeReply = "";
      this.socket.write(shot.opening.bytes);
      return;
    }
    this.sentAt = performance.now();
    this.socket.write(this.driver.bytesOf(shot));
  }

  close(): void {
    this.outstanding = 0;
    this.socket.destroy();
  }

  private read(length: number, buffer: Uint8Array): boolean {
    const { counter, shot } = this;
    if (counter === null || shot === null || this.outstanding === 0) {
      this.fail(new Error("unexpected bytes"));
      return true;
    }
    if (this.handshakeReply !== null) return this.readHandshake(buffer.subarray(0, length), shot);
    try {
      this.outstanding -= counter.push(buffer, length);
    } catch (error) {
      this.fail(error as Error);
      return true;
    }
    if (this.outstanding <= 0 && this.driver.onReplies(this)) {
      if (announcesClose(shot, buffer, length)) this.driver.replace(this, shot);
      else this.fire(shot);
    }
    return true;
  }

  private readHandshake(bytes: Uint8Array, shot: Shot): boolean {
    this.handshakeReply += Buffer.from(bytes).toString("latin1");
    const reply = this.handshakeReply ?? "";
    if (!reply.endsWith("\r\n\r\n")) return true;
    this.handshakeReply = null;
    if (reply.startsWith(`HTTP/1.1 ${shot.opening?.status} `)) this.fire(shot);
    else this.fail(new Error(`unexpected handshake reply: ${reply.slice(0, 40)}`));
    return true;
  }

  private fail(error: Error): void {
    const wasWaiting = this.outstanding > 0;
    this.close();
    if (wasWaiting) this.driver.onError(error);
  }
}
