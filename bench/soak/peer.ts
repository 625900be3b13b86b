import { connect, type Socket } from "node:net";

/** Outcome of waiting for the server. */
export type WaitResult = "done" | "closed" | "timeout";

/** A client that writes raw bytes, and can close, reset or destroy its connection. */
export class Peer {
  /** Received bytes, one character per byte, unless `discards` is set. */
  received = "";
  /** Number of received bytes. */
  bytes = 0;
  /** Whether received bytes are discarded instead of kept. */
  discards = false;
  closed = false;
  readonly socket: Socket;
  private wake: (() => void) | null = null;

  constructor(port: number) {
    this.socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    this.socket.setEncoding("latin1");
    this.socket.on("data", (text) => {
      this.bytes += text.length;
      if (!this.discards) this.received += String(text);
      this.wake?.();
    });
    for (const event of ["end", "error", "close"]) this.socket.on(event, () => this.onEnd());
  }

  send(bytes: string): void {
    if (!this.socket.destroyed) this.socket.write(bytes, "latin1");
  }

  /** Flushes pending bytes, then resets the connection. */
  reset(): void {
    if (this.socket.connecting) this.socket.once("connect", () => this.socket.resetAndDestroy());
    else this.socket.resetAndDestroy();
  }

  close(): void {
    this.closed = true;
    this.socket.destroy();
  }

  /** Waits for enough bytes, the end of the connection, or a timeout in milliseconds. */
  until(hasEnough: (received: string) => boolean, timeoutMs: number): Promise<WaitResult> {
    const state = (): WaitResult | null =>
      hasEnough(this.received) ? "done" : this.closed ? "closed" : null;
    return new Promise((resolve) => {
      const settle = (ended: WaitResult): void => {
        this.wake = null;
        clearTimeout(timer);
        resolve(ended);
      };
      const timer = setTimeout(() => settle("timeout"), timeoutMs);
      this.wake = () => {
        const ended = state();
        if (ended !== null) settle(ended);
      };
      this.wake();
    });
  }

  untilClosed(timeoutMs: number): Promise<WaitResult> {
    return this.until(() => false, timeoutMs);
  }

  /** Statuses of the replies so far, in order. */
  get statuses(): number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  private onEnd(): void {
    if (!this.closed) this.socket.end();
    this.closed = true;
    this.wake?.();
  }
}
