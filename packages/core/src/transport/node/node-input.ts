import { badVersion } from "./node-parse-errors.ts";
import { MessageReader } from "./node-message-reader.ts";
import type { HttpError } from "../../errors/http-error.ts";
import type { LimitsConfig } from "../../config/limits-config.ts";
import { DirectReading, type SocketOwner } from "../hub/direct-reading.ts";
import type { ReadBatch } from "../hub/read-batch.ts";
import type { Socket } from "../../exchange/socket.ts";

/** The connection's interface to its input. */
export interface NodeInputHost {
  readonly options: { readonly limits: LimitsConfig };
  /** Refuses the message that is being read. @param head the bytes of its head so far; `null` after the head */
  refuse(failure: HttpError, head: Uint8Array | null): void;
  /** Called after each read while the input is closed. */
  discarded(): void;
  /** Writes the reply that is held for a batch, because it determines whether more is read. */
  send(): void;
}

type Listener = (chunk: Buffer) => void;

/**
 * Passes a connection's bytes to the parser of `node:http`: checked by a `MessageReader`, and each part of a message in a separate call.
 *
 * If a call also contains the bytes after a request that offers an upgrade, the parser drops these bytes; in separate calls it does not.
 *
 * `node:http` lets its parser read from the system directly until a listener for "data" is added; then it passes on the bytes that its own listener receives.
 * This class replaces that listener. If a release of Node had no such listener, requests would not be checked, and the conformance suite would fail.
 */
export class NodeInput implements SocketOwner {
  private readonly socket: Socket & ParsedSocket;
  private readonly host: NodeInputHost;
  private readonly reader: MessageReader;
  private parsers: readonly Listener[] = [];
  private isClosed = false;
  /** Bytes of the current read from `restAt` on are not parsed yet. */
  private chunk: Buffer | null = null;
  private restAt = 0;
  private fromStart = true;
  /** The bytes of an incomplete head that arrives in several reads, for a refusal; bounded by the limits of a head. `null` if no head is incomplete. */
  private begun: Buffer | null = null;
  private readonly batch: ReadBatch;
  private reading: DirectReading | null = null;
  readonly mayEnd = true;

  constructor(socket: Socket, host: NodeInputHost, batch: ReadBatch) {
    this.socket = socket;
    this.host = host;
    this.batch = batch;
    this.reader = new MessageReader(host.options.limits);
  }

  /** Replaces the listener that `node:http` has added. */
  begin(): void {
    const { socket } = this;
    this.parsers = socket.listeners("data") as Listener[];
    for (const parser of this.parsers) socket.off("data", parser);
    this.reading = new DirectReading(socket, this, this.batch);
    endDirectReading(socket);
  }

  /** Whether a message has begun and not ended. Without a body in progress, this means that a head is incomplete. */
  get headBegan(): boolean {
    return !this.reader.atStart;
  }

  /** Whether the bytes that the parser just received begin a message. */
  get isFromStart(): boolean {
    return this.fromStart;
  }

  /** Returns the bytes of the current message from its start to the end of `part`; `null` if `part` follows the head. */
  headWith(part: Uint8Array): Uint8Array | null {
    if (this.begun !== null) return Buffer.concat([this.begun, part]);
    return this.fromStart ? part : null;
  }

  /** Whether bytes wait for the end of the turn of the event loop. */
  get waits(): boolean {
    return this.reading?.waits === true;
  }

  /** Bytes of bodies so far, without framing. */
  get bodyBytes(): number {
    return this.reader.bodyBytes;
  }

  /** Sets the length of the body after an accepted head; `null` for a chunked one. */
  expectBody(length: number | null): void {
    this.reader.expectBody(length);
  }

  /** Stops parsing; further bytes are discarded. */
  close(): void {
    this.isClosed = true;
  }

  /** Stops listening, and returns the bytes that were read and not parsed. */
  detach(): Uint8Array {
    this.reading?.stop();
    this.isClosed = true;
    return this.chunk?.subarray(this.restAt) ?? new Uint8Array(0);
  }

  // The connection and `node:http` listen for these themselves.
  ended(): void {}
  drained(): void {}
  closed(): void {}

  take(chunk: Buffer): void {
    this.chunk = chunk;
    this.restAt = 0;
    while (this.restAt < chunk.length && !this.isClosed) {
      this.host.send();
      if (this.mustWait()) {
        this.socket.pause(); // before the unshift: a flowing socket would emit the unshifted bytes at once
        this.socket.unshift(chunk.subarray(this.restAt));
        break;
      }
      this.takePart(chunk, this.restAt);
    }
    this.chunk = null;
    if (this.isClosed) this.host.discarded();
  }

  /** Whether input must wait: while too many bytes of replies are unsent, `node:http` pauses the socket, and its parser throws for any input, even after a resume. */
  private mustWait(): boolean {
    const { socket } = this;
    return socket._paused === true || (this.restAt > 0 && socket.isPaused());
  }

  private takePart(chunk: Buffer, start: number): void {
    const { reader } = this;
    this.fromStart = reader.atStart;
    const end = reader.read(chunk, start);
    const isIncomplete = !reader.headIsRead && !reader.atStart;
    const part = start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end);
    this.restAt = end;
    if (end > start) this.parse(part);
    if (reader.failure !== null) {
      this.refuse(reader.failure, chunk.subarray(start));
    } else if (reader.headIsRead && !this.isClosed) {
      // `expectBody` was not called: the connection refused the head, or the parser waits for the rest of an HTTP/2 preface. A second refusal is ignored.
      this.refuse(badVersion(), part);
    }
    this.begun = isIncomplete && !this.isClosed ? this.copyOf(part) : null;
  }

  private refuse(failure: HttpError, part: Uint8Array): void {
    this.host.refuse(failure, this.headWith(part));
    this.isClosed = true;
  }

  /** Returns a copy of an incomplete head, because the memory of a read is reused; `null` in a body. */
  private copyOf(part: Buffer): Buffer | null {
    if (this.begun !== null) return Buffer.concat([this.begun, part]);
    return this.fromStart ? Buffer.from(part) : null;
  }

  private parse(part: Buffer): void {
    for (const parser of this.parsers) parser(part);
  }
}

/** Undocumented fields that `node:http` sets on a socket. */
interface ParsedSocket {
  /** Whether `node:http` has paused reading until replies are written. */
  readonly _paused?: boolean;
  readonly parser?: { _consumed?: boolean; unconsume?(): void } | null;
}

/**
 * Stops the parser of `node:http` from reading directly from the system. On Node, adding a listener for "data" does this; on Deno it does not, so the parser
 * would get unchecked bytes, and later bytes before the unshifted bytes.
 */
const endDirectReading = (socket: Socket & ParsedSocket): void => {
  const { parser } = socket;
  if (parser?._consumed !== true) return;
  parser.unconsume?.();
  parser._consumed = false;
};
