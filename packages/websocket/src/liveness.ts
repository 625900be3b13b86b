import type { Writable } from "node:stream";

/** Bytes of a write that the system has not accepted yet; for TLS, of the underlying connection. */
interface Handle {
  readonly writeQueueSize?: number;
  readonly _parent?: Handle | null;
}

/** A stream with the counters that a socket has. */
export type CountingStream = Writable & {
  readonly bytesRead?: number;
  readonly bytesWritten?: number;
  readonly _handle?: Handle | null;
};

/** Detects from the counters of a socket that its client is alive, even without a message or pong. */
export class Liveness {
  private readonly socket: CountingStream;
  private bytesRead: number;
  private written = 0;
  private queued = 0;
  private hadWaiting = false;

  constructor(socket: CountingStream) {
    this.socket = socket;
    this.bytesRead = socket.bytesRead ?? 0;
  }

  /**
   * Returns whether the client was active since the last call: it sent bytes, such as of a long frame, within which it cannot answer a ping, or it received
   * queued bytes. A paused client without queued bytes counts as active, because its pongs are not read.
   */
  checkActivity(isPaused: boolean): boolean {
    const { socket } = this;
    const { bytesRead = 0, writableLength, bytesWritten = writableLength } = socket;
    const written = bytesWritten - writableLength;
    const queued = queueSize(socket);
    // Bytes that the system accepts at once are no evidence of the client.
    const hasTaken = this.hadWaiting && (written !== this.written || queued !== this.queued);
    const hasSent = bytesRead > this.bytesRead;
    this.bytesRead = bytesRead;
    this.written = written;
    this.queued = queued;
    this.hadWaiting = writableLength > 0;
    return hasSent || hasTaken || (isPaused && !this.hadWaiting);
  }
}

/** Remaining bytes of the current write, which `writableLength` counts in full until it has ended. 0 in runtimes without the counter. */
const queueSize = ({ _handle: handle }: CountingStream): number =>
  (handle?._parent ?? handle)?.writeQueueSize ?? 0;
