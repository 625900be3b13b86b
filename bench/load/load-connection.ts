import { connect, type Socket } from "node:net";
import { ReplyCounter } from "./reply-counter.ts";
import type { Shot } from "./shot.ts";

/** Every connection reads into the same memory: what was read is counted before the next read. */
const readBuffer = Buffer.allocUnsafe(128 * 1024);

/** Callbacks of a connection. */
export interface Driver {
  /** The next bytes to send. */
  readonly bytesOf: (shot: Shot) => Buffer;
  /** All replies of the shot have arrived; returns whether to send it again. */
  readonly again: (connection: LoadConnection) => boolean;
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
  private counter: ReplyCounter | null = null;
  private due = 0;

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
      this.counter = new ReplyCounter(shot.end);
    }
    this.due = shot.depth;
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
    try {
      this.due -= counter.push(buffer, length);
    } catch (error) {
      this.lost(error as Error);
      return true;
    }
    if (this.due <= 0 && this.driver.again(this)) this.fire(shot);
    return true;
  }

  private lost(error: Error): void {
    const waited = this.due > 0;
    this.close();
    if (waited) this.driver.failed(error);
  }
}
