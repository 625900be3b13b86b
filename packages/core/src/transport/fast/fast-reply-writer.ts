import { HttpError } from "../../errors/http-error.ts";
import { BodyStream } from "../../exchange/payload.ts";
import type { ConnectionHub } from "../hub/connection-hub.ts";
import { exchangeFields } from "../../exchange/request-fields.ts";
import {
  discardReply,
  logUnwritableReply,
  logStreamFailure,
  logAbandonedBodyError,
} from "../wire/exchange.ts";
import { FastBodySink } from "./fast-body-sink.ts";
import type { FastExchange } from "./fast-exchange.ts";
import { headText } from "./fast-head-text.ts";
import {
  bytesToText,
  type MemoryPayload,
  shortLength,
  SLICE_ABOVE,
  toWriterBody,
} from "../wire/memory-payload.ts";
import { BodyWriter } from "../wire/body-writer.ts";
import type { FastPipeline } from "./fast-pipeline.ts";
import type { ReplyHeads } from "./reply-heads.ts";
import type { Socket } from "../../exchange/socket.ts";
import { prepareReply, type ReplyHead } from "../wire/reply-head.ts";
import type { Reply } from "../../exchange/reply.ts";

/** Callbacks and state of a connection that its reply writer uses. */
export interface FastReplyConnection {
  readonly hub: ConnectionHub;
  readonly replyHeads: ReplyHeads;
  /** Whether the reply must carry `connection: close`. */
  closesAfter(exchange: FastExchange): boolean;
  /** Called when the reply carries `connection: close`: nothing after it is served. */
  closeAfter(exchange: FastExchange): void;
  /** Called when a reply is completely written; it may still be in the socket's buffer. */
  onReplyWritten(exchange: FastExchange): void;
  /** Called when the replies before `exchange`, or all of them, have left the socket's buffer. */
  onRepliesSent(exchange: FastExchange | null): void;
  /** Called when further replies may be written: a streamed reply ended, or the socket has room again. */
  proceed(): void;
  cut(): void;
}

/** Approximate maximum length of one write of joined replies. */
const JOINED_LENGTH = 65_536;

/** Writes the replies of one connection: joins short replies into one write, and writes long and streamed replies chunk by chunk. */
export class FastReplyWriter {
  private readonly socket: Socket;
  private readonly connection: FastReplyConnection;
  /** Joined replies that are not sent yet, one character for each byte. */
  private out = "";
  private sink: FastBodySink | null = null;
  private writer: BodyWriter | null = null;
  private flushing = false;

  constructor(socket: Socket, connection: FastReplyConnection) {
    this.socket = socket;
    this.connection = connection;
  }

  /** Whether a long or streamed reply is being written. */
  get busy(): boolean {
    return this.writer !== null;
  }

  /** Whether the joined replies should be sent before more are added. */
  get full(): boolean {
    return this.out.length > JOINED_LENGTH;
  }

  write(exchange: FastExchange): void {
    const { reply } = exchange;
    exchange.reply = null;
    if (reply === null) return this.writeFailure(exchange);
    try {
      if (this.writeOrdinary(exchange, reply)) return;
      const head = this.prepare(exchange, reply);
      this.writePrepared(exchange, head);
      if (head.payload === null) discardReply(exchange, reply);
    } catch (error) {
      discardReply(exchange, reply);
      logUnwritableReply(exchange, error);
      this.writeFailure(exchange);
    }
  }

  /** Writes the reply of the only exchange in one call, if it is an ordinary reply with a string body. Returns whether it did. */
  writeLone(exchange: FastExchange): boolean {
    const { reply, method } = exchange;
    if (reply === null || method === "HEAD") return false;
    try {
      const { payload } = reply;
      if (typeof payload !== "string") return false;
      const length = shortLength(payload);
      const head = length < 0 ? null : this.ordinaryHead(exchange, reply, length);
      if (head === null) return false;
      exchange.reply = null;
      this.socket.write(head + toWireText(payload, length), "latin1");
      return true;
    } catch {
      return false; // `write` gets the same error and logs it
    }
  }

  /** Sends an interim reply, after the joined replies. */
  inform(text: string): void {
    this.out += text;
    this.send();
  }

  /** Sends the joined replies. Returns `true` if they have left the socket's buffer; otherwise `onRepliesSent` is called later. */
  flush(pipeline: FastPipeline): boolean {
    this.send();
    const { first, unsent, last } = pipeline;
    if (first === unsent || this.flushing || this.socket.destroyed) return false;
    if (this.socket.writableLength === 0) return true;
    this.flushing = true;
    this.socket.write("", (error) => {
      this.flushing = false;
      if (error !== null && error !== undefined) return;
      this.connection.onRepliesSent(unsent === null ? (last?.next ?? null) : unsent);
      this.connection.proceed();
    });
    return false;
  }

  /** Resumes the streamed reply when the socket has room. Returns `false` if there is none. */
  drain(): boolean {
    if (this.sink === null) return false;
    this.sink.drain();
    return true;
  }

  /** Aborts the streamed reply, if there is one. */
  stop(): void {
    this.writer?.stop();
    this.writer = null;
    this.sink = null;
  }

  private send(): void {
    const { out } = this;
    if (out === "") return;
    this.out = "";
    this.socket.write(out, "latin1");
  }

  /** Writes a short reply from memory without `prepareReply`; `false` for a reply that needs it. */
  private writeOrdinary(exchange: FastExchange, reply: Reply): boolean {
    const { payload } = reply;
    if (payload instanceof BodyStream) return false;
    const length = shortLength(payload);
    if (length < 0) return false;
    const text = this.ordinaryHead(exchange, reply, length);
    if (text === null) return false;
    this.writeBody(text, exchange.method === "HEAD" ? null : payload, length);
    this.connection.onReplyWritten(exchange);
    return true;
  }

  private ordinaryHead(exchange: FastExchange, reply: Reply, length: number): string | null {
    const { connection } = this;
    const close = connection.closesAfter(exchange);
    const end = connection.hub.headEnd(close);
    const text = connection.replyHeads.ordinary(reply.status, reply.fields(), length, end);
    if (text !== null && close) connection.closeAfter(exchange);
    return text;
  }

  /** Writes a plain 500 without any detail. */
  private writeFailure(exchange: FastExchange): void {
    const { connection } = this;
    const { reject, log } = connection.hub.options;
    connection.closeAfter(exchange);
    try {
      const reply = reject(new HttpError(500, "The server failed"), null);
      this.writePrepared(exchange, this.prepare(exchange, reply));
    } catch (error) {
      log.error("the reply to a failure could not be written", { ...exchangeFields(exchange), error });
      connection.cut();
      connection.onReplyWritten(exchange);
    }
  }

  private prepare(exchange: FastExchange, reply: Reply): ReplyHead {
    const { connection } = this;
    const close = connection.closesAfter(exchange);
    return prepareReply(reply, { method: exchange.method, minor: 1, close, date: connection.hub.date });
  }

  private writePrepared(exchange: FastExchange, head: ReplyHead): void {
    const { payload, length } = head;
    const text = headText(head);
    if (head.close) this.connection.closeAfter(exchange);
    if (payload instanceof BodyStream || length === null || length > SLICE_ABOVE) {
      return this.stream(exchange, text, head);
    }
    this.writeBody(text, payload, length);
    this.connection.onReplyWritten(exchange);
  }

  private writeBody(text: string, payload: MemoryPayload, length: number): void {
    if (payload === null) this.out += text;
    else if (typeof payload !== "string") this.writeBytes(text, payload);
    else this.out += text + toWireText(payload, length);
  }

  private writeBytes(text: string, bytes: Uint8Array): void {
    this.out += text;
    if (bytes.byteLength <= JOINED_LENGTH / 4) this.out += bytesToText(bytes);
    else {
      this.socket.cork();
      this.send();
      this.socket.write(bytes);
      this.socket.uncork();
    }
  }

  /** Sends a head, then its long or streamed body. */
  private stream(exchange: FastExchange, text: string, { payload, framing }: ReplyHead): void {
    const body = toWriterBody(payload);
    this.out += text;
    this.send();
    const { connection } = this;
    const sink = new FastBodySink(this.socket, framing === "chunked", () => {
      this.sink = null;
      this.writer = null;
      connection.onReplyWritten(exchange);
      connection.proceed();
    });
    this.sink = sink;
    this.writer = new BodyWriter(sink, body, {
      failed: (error) => {
        logStreamFailure(exchange, error);
        connection.cut();
      },
      late: (error) => logAbandonedBodyError(exchange, error),
    });
    this.writer.start();
  }
}

/** Encodes a string as UTF-8, one character for each byte. @param length number of bytes; an ASCII string has the same length */
const toWireText = (text: string, length: number): string =>
  length === text.length ? text : Buffer.from(text).toString("latin1");
