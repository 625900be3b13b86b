import type { Writable } from "node:stream";

/** Handle of a socket: bytes of the current write that the system has not accepted yet; with TLS the parent handle has them. */
interface Handle {
  readonly writeQueueSize?: number;
  readonly _parent?: Handle | null;
}

/** A stream with the counters of a socket. */
export type CountingStream = Writable & {
  readonly bytesRead?: number;
  readonly bytesWritten?: number;
  readonly _handle?: Handle | null;
};

/** Detects from a socket's counters that its client is alive, even without a message or pong. */
export class Liveness {
  private readonly socket: CountingStream;
  private bytesRead: number;
  private written = 0;
  private queued = 0;
  private hadQueued = false;

  constructor(socket: CountingStream) {
    this.socket = socket;
    this.bytesRead = socket.bytesRead ?? 0;
  }

  /**
   * Returns whether the client was active since the last call: it sent bytes, such as a part of a long frame, within which it cannot send a pong, or it
   * received queued bytes. A paused client without queued bytes counts as active, because its pongs are not read.
   */
  checkActivity(isPaused: boolean): boolean {
    const { socket } = this;
    const { bytesRead = 0, writableLength, bytesWritten = writableLength } = socket;
    const written = bytesWritten - writableLength;
    const queued = queueSize(socket);
    // Bytes that the system accepts immediately do not show that the client is alive.
    const hasReceived = this.hadQueued && (written !== this.written || queued !== this.queued);
    const hasSent = bytesRead > this.bytesRead;
    this.bytesRead = bytesRead;
    this.written = written;
    this.queued = queued;
    this.hadQueued = writableLength > 0;
    return hasSent || hasReceived || (isPaused && !this.hadQueued);
  }
}

/** Returns the remaining bytes of the current write, which `writableLength` counts in full until the write has ended. 0 in runtimes without the counter. */
const queueSize = ({ _handle: handle }: CountingStream): number =>
  (handle?._parent ?? handle)?.writeQueueSize ?? 0;
