import { connect, type Socket } from "node:net";
import { ReplyCounter } from "./reply-counter.ts";
import type { Shot } from "./shot.ts";

/** Every connection reads into the same memory: what was read is counted before the next read. */
const readBuffer = Buffer.allocUnsafe(128 * 1024);

/** Whether the last reply says that the server closes its connection. Where replies have a fixed length, the field is an error. */
const announcesEnd = ({ end }: Shot, buffer: Uint8Array, length: number): boolean => {
  if (end.kind !== "body") return false;
  const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, length);
  return bytes.includes("Connection: close") || bytes.includes("connection: close");
};

/** Callbacks of a connection. */
export interface Driver {
  /** The next bytes to send. */
  readonly bytesOf: (shot: Shot) => Buffer;
  /** All replies of the shot have arrived; returns whether to send it again. */
  readonly again: (connection: LoadConnection) => boolean;
  /** The server ends this connection with its last reply; the shot is to be sent over another one. */
  readonly replace: (connection: LoadConnection, shot: Shot) => void;
  /** The connection failed while replies were outstanding. */
  readonly failed: (error: Error) => void;
}

/** One keep-alive connection with almost no allocations per request, so that the client does not distort the measurement. */
export class LoadConnection {
  /** Milliseconds of `performance.now()` at which the last shot was sent. */
  sentAt = 0;
  private readonly socket: Socket;
  private readonly driver: Driver;
  private shot: Shot | null = null;
  /** What the handshake has answered so far; null once it is over. */
  private greeting: string | null = null;
  private counter: ReplyCounter | null = null;
  private due = 0;
  private opened = false;

  constructor(port: number, driver: Driver) {
    this.driver = driver;
    this.socket = connect({
      port,
      host: "127.0.0.1",
      noDelay: true,
      onread: { buffer: readBuffer, callback: (length, buffer) => this.read(length, buffer) },
    });
    this.socket.on("error", (error) => this.lost(error));
    this.socket.on("close", () => this.lost(new Error("the server closed a connection")));
  }

  /** Whether it can still be used; a server may have closed it while it was idle. */
  get usable(): boolean {
    return !this.socket.destroyed && !this.socket.readableEnded;
  }

  /** Sends a shot; what comes next is decided by `again`. */
  fire(shot: Shot): void {
    if (this.shot !== shot) {
      this.shot = shot;
      this.counter = new ReplyCounter(shot.end, shot.status);
    }
    this.due = shot.depth;
    if (!this.usable) return this.lost(new Error("the server closed a connection before its next request"));
    if (shot.opening !== undefined && !this.opened) {
      this.opened = true;
      this.greeting = "";
      this.socket.write(shot.opening.bytes);
      return;
    }
    this.sentAt = performance.now();
    this.socket.write(this.driver.bytesOf(shot));
  }

  close(): void {
    this.due = 0;
    this.socket.destroy();
  }

  private read(length: number, buffer: Uint8Array): boolean {
    const { counter, shot } = this;
    if (counter === null || shot === null || this.due === 0) {
      this.lost(new Error("unexpected bytes"));
      return true;
    }
    if (this.greeting !== null) return this.readGreeting(buffer.subarray(0, length), shot);
    try {
      this.due -= counter.push(buffer, length);
    } catch (error) {
      this.lost(error as Error);
      return true;
    }
    if (this.due <= 0 && this.driver.again(this)) {
      if (announcesEnd(shot, buffer, length)) this.driver.replace(this, shot);
      else this.fire(shot);
    }
    return true;
  }

  private readGreeting(bytes: Uint8Array, shot: Shot): boolean {
    this.greeting += Buffer.from(bytes).toString("latin1");
    const greeting = this.greeting ?? "";
    if (!greeting.endsWith("\r\n\r\n")) return true;
    this.greeting = null;
    if (greeting.startsWith(`HTTP/1.1 ${shot.opening?.status} `)) this.fire(shot);
    else this.lost(new Error(`another handshake: ${greeting.slice(0, 40)}`));
    return true;
  }

  private lost(error: Error): void {
    const waited = this.due > 0;
    this.close();
    if (waited) this.driver.failed(error);
  }
}
