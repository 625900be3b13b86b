import type { Writable } from "node:stream";

/** The bytes of a write that the system has not taken yet: of TLS, those of the connection below it. */
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

/** Recognises from the counters of a socket that its client is alive, although no message or pong of it has come. */
export class SignsOfLife {
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
   * Whether the client gave a sign of life since the last call: it sent bytes, as in the middle of a long frame, where it can answer no ping, or it took
   * bytes that waited for it. Without waiting bytes a paused client owes none: its pongs cannot arrive.
   */
  since(isPaused: boolean): boolean {
    const { socket } = this;
    const { bytesRead = 0, writableLength, bytesWritten = writableLength } = socket;
    const written = bytesWritten - writableLength;
    const queued = queueSize(socket);
    // What the system takes at once says nothing of the client.
    const hasTaken = this.hadWaiting && (written !== this.written || queued !== this.queued);
    const hasSent = bytesRead > this.bytesRead;
    this.bytesRead = bytesRead;
    this.written = written;
    this.queued = queued;
    this.hadWaiting = writableLength > 0;
    return hasSent || hasTaken || (isPaused && !this.hadWaiting);
  }
}

/** `writableLength` has a long message in full until all of it is written; this is its rest. A runtime that does not count it has 0. */
const queueSize = ({ _handle: handle }: CountingStream): number =>
  (handle?._parent ?? handle)?.writeQueueSize ?? 0;
