import { HttpError } from "../../errors/http-error.ts";
import { BodyStream } from "../../exchange/payload.ts";
import type { ConnectionHub } from "../hub/connection-hub.ts";
import { discardReply, logBroken, logFailed, logLate } from "../wire/exchange.ts";
import { FastBodySink } from "./fast-body-sink.ts";
import type { FastExchange } from "./fast-exchange.ts";
import { headText, ordinaryHeadText } from "./fast-head-text.ts";
import {
  bytesToText,
  type MemoryPayload,
  shortLength,
  sliceAbove,
  toWriterBody,
} from "../wire/memory-payload.ts";
import { BodyWriter } from "../wire/body-writer.ts";
import type { FastPipeline } from "./fast-pipeline.ts";
import type { Socket } from "../../exchange/socket.ts";
import { prepareReply, type ReplyHead } from "../wire/reply-head.ts";
import type { Reply } from "../../exchange/reply.ts";

/** What writing needs of the connection that it is done for. */
export interface FastReplyConnection {
  readonly hub: ConnectionHub;
  /** Whether the answer of an exchange must say that it is the last one. */
  closesAfter(exchange: FastExchange): boolean;
  /** The answer of an exchange says that it is the last one. */
  closeAfter(exchange: FastExchange): void;
  /** An answer is written, though perhaps not out. */
  replyWritten(exchange: FastExchange): void;
  /** The answers in front of an exchange, or all, are out. */
  repliesSentBefore(exchange: FastExchange | null): void;
  /** There may be more to do: a long answer has come to its end, or room was made. */
  proceed(): void;
  cut(): void;
}

/** Answers are joined up to about this length. */
const joinedLength = 65_536;

/** Writes the answers of one connection: those of one turn as one text, long and streamed ones as they come. */
export class FastReplyWriter {
  private readonly socket: Socket;
  private readonly connection: FastReplyConnection;
  /** Answers of this turn, one character a byte. */
  private out = "";
  private sink: FastBodySink | null = null;
  private writer: BodyWriter | null = null;
  private flushing = false;

  constructor(socket: Socket, connection: FastReplyConnection) {
    this.socket = socket;
    this.connection = connection;
  }

  /** Whether a long answer is under way. */
  get busy(): boolean {
    return this.writer !== null;
  }

  /** Whether enough is joined to be sent. */
  get full(): boolean {
    return this.out.length > joinedLength;
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
      logBroken(exchange, error);
      this.writeFailure(exchange);
    }
  }

  /** Writes the answer of an exchange that no other is in front of, if it is an ordinary one with a text; tells whether it did. */
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
      this.socket.write(head + onWire(payload, length), "latin1");
      return true;
    } catch {
      return false; // whoever writes it the other way finds the same mistake, and tells of it
    }
  }

  /** Sends what is joined; tells whether everything written is out already, and otherwise says so later. */
  flush(pipeline: FastPipeline): boolean {
    this.send();
    const { first, unsent, last } = pipeline;
    if (first === unsent || this.flushing || this.socket.destroyed) return false;
    if (this.socket.writableLength === 0) return true;
    this.flushing = true;
    this.socket.write("", (error) => {
      this.flushing = false;
      if (error !== null && error !== undefined) return;
      this.connection.repliesSentBefore(unsent === null ? (last?.next ?? null) : unsent);
      this.connection.proceed();
    });
    return false;
  }

  /** The socket takes more; `false` when nobody waited for that. */
  drain(): boolean {
    if (this.sink === null) return false;
    this.sink.drain();
    return true;
  }

  /** Gives up the answer that is under way. */
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

  /** Writes a reply whose body is in memory and not long; `false` when the rules for all others have to be asked. */
  private writeOrdinary(exchange: FastExchange, reply: Reply): boolean {
    const { payload } = reply;
    if (payload instanceof BodyStream) return false;
    const length = shortLength(payload);
    if (length < 0) return false;
    const text = this.ordinaryHead(exchange, reply, length);
    if (text === null) return false;
    this.writeBody(text, exchange.method === "HEAD" ? null : payload, length);
    this.connection.replyWritten(exchange);
    return true;
  }

  private ordinaryHead(exchange: FastExchange, reply: Reply, length: number): string | null {
    const { connection } = this;
    const close = connection.closesAfter(exchange);
    const text = ordinaryHeadText(reply.status, reply.fields(), length, connection.hub.ends(close));
    if (text !== null && close) connection.closeAfter(exchange);
    return text;
  }

  /** A plain 500 that tells nothing. */
  private writeFailure(exchange: FastExchange): void {
    const { connection } = this;
    const { reject, log } = connection.hub.options;
    connection.closeAfter(exchange);
    try {
      const reply = reject(new HttpError(500, "The server failed"), null);
      this.writePrepared(exchange, this.prepare(exchange, reply));
    } catch (error) {
      log.error("the reply to a failure could not be written", { error });
      connection.cut();
      connection.replyWritten(exchange);
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
    if (payload instanceof BodyStream || length === null || length > sliceAbove) {
      return this.stream(exchange, text, head);
    }
    this.writeBody(text, payload, length);
    this.connection.replyWritten(exchange);
  }

  private writeBody(text: string, payload: MemoryPayload, length: number): void {
    if (payload === null) this.out += text;
    else if (typeof payload !== "string") this.writeBytes(text, payload);
    else this.out += text + onWire(payload, length);
  }

  private writeBytes(text: string, bytes: Uint8Array): void {
    this.out += text;
    if (bytes.byteLength <= joinedLength / 4) this.out += bytesToText(bytes);
    else {
      this.socket.cork();
      this.send();
      this.socket.write(bytes);
      this.socket.uncork();
    }
  }

  /** Sends a long or streamed body, with its head in front. */
  private stream(exchange: FastExchange, text: string, { payload, framing }: ReplyHead): void {
    const body = toWriterBody(payload);
    this.out += text;
    this.send();
    const { connection } = this;
    const sink = new FastBodySink(this.socket, framing === "chunked", () => {
      this.sink = null;
      this.writer = null;
      connection.replyWritten(exchange);
      connection.proceed();
    });
    this.sink = sink;
    this.writer = new BodyWriter(sink, body, {
      failed: (error) => {
        logFailed(exchange, error);
        connection.cut();
      },
      late: (error) => logLate(exchange, error),
    });
    this.writer.start();
  }
}

/** A text of so many bytes in UTF-8, one character each. */
const onWire = (text: string, length: number): string =>
  length === text.length ? text : Buffer.from(text).toString("latin1");
