// More than 250 lines, because a request and its reply are one object: every request creates it.
import type { ServerHttp2Stream } from "node:http2";
import { type ExchangeEnd, HttpError } from "@framework/core";
import {
  type ReceivingExchange,
  type BodyGraceListener,
  BodyRate,
  BodyStream,
  BodyWriter,
  type BodyWriterEvents,
  clientDisconnected,
  discardReply,
  type DescribedRequest,
  type EndListener,
  exchangeFields,
  type ExchangeHost,
  fieldValue,
  allowsBody,
  listenForEnd,
  logUnwritableReply,
  logStreamFailure,
  logAbandonedBodyError,
  type MemoryPayload,
  notifyEnd,
  passToApp,
  type Payload,
  payloadLength,
  type Reply,
  StreamBody,
  type StreamBodyEvents,
  toWriterBody,
  type WriteCounters,
} from "@framework/core/feature";
import type { ReplyFields } from "./reply-fields.ts";
import type { Http2RequestHead } from "./request-heads.ts";
import { groupByName, type RespondTo } from "./respond.ts";
import type { StreamEndListener, BodyListener } from "./stream-events.ts";
import { StreamSink } from "./stream-sink.ts";

/** Members of a connection that an exchange uses. */
export interface Http2ExchangeHost extends ExchangeHost {
  readonly date: string;
  readonly replyFields: ReplyFields;
  /** Sends the head of a reply. */
  readonly respond: RespondTo;
  /** Called when bytes of a body have arrived. */
  bodyArrived(bytes: number): void;
  /** Called when a stream is closed before its body has arrived. @param rest missing bytes, `null` while unknown */
  bodyCut(rest: number | null): void;
  /** Called when a handler starts, also for a rejected head. */
  handlerBegan(): void;
  /** Called when the handler of an exchange has replied or failed, perhaps after its stream was closed. */
  handlerEnded(): void;
  /** Called when the stream of an exchange is closed. */
  streamClosed(exchange: Http2Exchange): void;
  /** Called when a reply has `Connection: close`. */
  finishByReply(): void;
  /** Serves the request after at most 10 ms even if its body has not arrived completely. */
  awaitBody(exchange: BodyGraceListener): void;
}

/** Maximum length of a body that is collected before the app gets its request. */
const SHORT_BODY = 65_536;

/** Maximum length of a reply body that is written at once; a longer one is written as the client reads. */
const SHORT_REPLY = 65_536;

/** Maximum factor by which waiting streams of a connection multiply `writeSecs`. */
const MAX_SHARES = 10;

/** Milliseconds for a client to end a request after its reply. */
const END_MS = 1000;

const NO_ERROR = 0;

/** One stream: a request and its reply. */
export class Http2Exchange
  implements
    ReceivingExchange,
    BodyWriterEvents,
    StreamBodyEvents,
    BodyGraceListener,
    WriteCounters,
    StreamEndListener,
    BodyListener
{
  readonly connection: Http2ExchangeHost;
  end: ExchangeEnd | null = null;
  listeners: EndListener[] | null = null;
  described: DescribedRequest | null = null;
  readonly httpVersion = "2";
  readonly method: string;
  readonly target: string;
  readonly authority: string;
  readonly fields: readonly string[];
  readonly bodyLength: number | null;
  buffered: Uint8Array | null = null;
  /** Bytes of the reply's body that were passed to the stream. */
  bytesWritten = 0;
  private readonly stream: ServerHttp2Stream;
  readonly refusal: HttpError | null;
  private readonly expectsContinue: boolean;
  private body: StreamBody | null = null;
  private bodyRate: BodyRate | null = null;
  private writer: BodyWriter | null = null;
  private hasStarted = false;
  private hasReplied = false;
  /** Whether END_STREAM was sent, for a stream that is closed before its writing side finishes. */
  private endWasSent = false;
  private flushed = 0;
  private stalledMs = 0;
  /** Time of the first check with bytes waiting for the client; `null` if none wait. */
  private waitingSince: number | null = null;
  /** Milliseconds since the reply was sent. */
  private sinceReplyMs = 0;
  /** Bytes of the body that have arrived, read or not. */
  private arrivedBytes = 0;

  constructor(connection: Http2ExchangeHost, stream: ServerHttp2Stream, head: Http2RequestHead) {
    this.connection = connection;
    this.stream = stream;
    this.method = head.method;
    this.target = head.target;
    this.authority = head.authority;
    this.fields = head.fields;
    this.bodyLength = head.bodyLength;
    this.expectsContinue = head.expectsContinue;
    this.refusal = head.refusal;
  }

  get scheme(): "http" | "https" {
    return this.connection.options.tls === undefined ? "http" : "https";
  }

  get remoteAddress(): string | null {
    return this.connection.remoteAddress;
  }

  /** Bytes of the reply's body that wait for the client. */
  get writableLength(): number {
    return this.stream.writableLength;
  }

  /** Whether the request was passed to the app. */
  get wasServed(): boolean {
    return this.hasStarted;
  }

  onEnd(listener: EndListener): void {
    listenForEnd(this, listener);
  }

  field(name: string): string | null {
    return fieldValue(this.fields, name);
  }

  chunks(): AsyncIterable<Uint8Array> {
    return this.ownBody();
  }

  inform(status: number, fields: readonly string[]): boolean {
    const { stream } = this;
    if (this.hasReplied || this.end !== null || stream.closed || stream.destroyed) return false;
    stream.additionalHeaders({ ":status": status, ...groupByName(fields) });
    return true;
  }

  /** Serves the request, after collecting a short body. */
  begin(): void {
    const { bodyLength } = this;
    if (bodyLength === null || bodyLength === 0 || bodyLength > SHORT_BODY || this.expectsContinue)
      return this.start();
    const body = this.ownBody();
    body.collect(() => {
      this.buffered = body.whole();
      this.start();
    });
    if (!this.hasStarted) this.connection.awaitBody(this);
  }

  bodyGraceEnded(): void {
    if (this.hasStarted) return;
    this.body?.stopCollecting();
    this.start();
  }

  /** Enforces the deadlines of the request. */
  check(elapsedMs: number): void {
    if (this.body?.waiting === true) {
      this.bodyRate ??= new BodyRate(this.connection.options.timeouts.readBodySecs);
      if (this.bodyRate.checkTooSlow(this.body.received, elapsedMs))
        this.body.fail(new HttpError(408, "The request body took too long to arrive"));
    }
    this.endUnfinished(elapsedMs);
  }

  /** Returns whether bytes of the reply have waited for the client for `writeSecs`; called once a second. */
  checkWaiting(now: number): boolean {
    this.waitingSince = this.writableLength === 0 ? null : (this.waitingSince ?? now);
    return (
      this.waitingSince !== null &&
      now - this.waitingSince >= this.connection.options.timeouts.writeSecs * 1000
    );
  }

  /**
   * Returns whether the client has read nothing of the reply for too long; called once a second.
   *
   * @param sharing number of streams of the connection that wait for the client
   */
  checkStalled(elapsedMs: number, sharing: number): boolean {
    const flushed = this.bytesWritten - this.writableLength;
    this.stalledMs = this.writableLength === 0 || flushed !== this.flushed ? 0 : this.stalledMs + elapsedMs;
    this.flushed = flushed;
    const limitMs = this.connection.options.timeouts.writeSecs * 1000 * Math.min(sharing, MAX_SHARES);
    return this.stalledMs > 0 && this.stalledMs >= limitMs;
  }

  /** Closes a stream whose client does not end the request after the reply (RFC 9113 8.1). */
  private endUnfinished(elapsedMs: number): void {
    if (!this.stream.writableFinished) return;
    if (this.sinceReplyMs >= END_MS) this.destroy();
    this.sinceReplyMs += elapsedMs;
  }

  /** Resets the stream. `close` would end it first, so that the reply could look complete to the client. */
  reset(): void {
    this.destroy(new Error("the reply failed"));
  }

  beforeFirst(): void {
    const { stream } = this;
    if (this.expectsContinue && !this.hasReplied && !stream.closed)
      stream.additionalHeaders({ ":status": 100 });
  }

  arrived(bytes: number): void {
    this.arrivedBytes += bytes;
    this.connection.bodyArrived(bytes);
  }

  /** Returns an error for a stream that the client has reset, because its body ends like a complete one. */
  endedEarly(): HttpError | null {
    return this.stream.aborted || this.stream.rstCode !== NO_ERROR ? clientDisconnected() : null;
  }

  failed(error: unknown): void {
    logStreamFailure(this, error);
    this.reset();
  }

  late(error: unknown): void {
    logAbandonedBodyError(this, error);
  }

  private start(): void {
    if (this.hasStarted || this.end !== null) return;
    this.hasStarted = true;
    this.connection.handlerBegan();
    passToApp(this);
  }

  succeed(reply: Reply): void {
    this.connection.handlerEnded();
    if (this.end !== null || this.hasReplied || this.stream.closed || this.stream.destroyed) {
      this.release();
      return discardReply(this, reply);
    }
    this.hasReplied = true;
    try {
      if (!this.writeOrdinary(reply)) this.writeAny(reply);
    } catch (error) {
      discardReply(this, reply);
      this.replaceReply(error);
    }
  }

  fail(error: unknown): void {
    this.connection.handlerEnded();
    this.release();
    if (this.hasReplied) return;
    this.hasReplied = true;
    this.replaceReply(error);
  }

  /** Writes a reply with a short body in memory. Writes nothing and returns `false` for any other reply. */
  private writeOrdinary(reply: Reply): boolean {
    const { status, payload } = reply;
    const { connection } = this;
    if (payload instanceof BodyStream || this.method === "HEAD" || !allowsBody(status)) return false;
    const length = payloadLength(payload);
    if (length === null || !(length <= SHORT_REPLY)) return false;
    const head = connection.replyFields.ordinary(status, reply.fields(), length, connection.date);
    if (head === null) return false;
    this.respond(head, payload, length);
    return true;
  }

  private writeAny(reply: Reply): void {
    const { connection, method } = this;
    const { fields, payload, length, close } = connection.replyFields.prepare(reply, method, connection.date);
    if (close && reply.status !== 408) connection.finishByReply(); // the 408 of a slow body does not affect other requests
    if (payload instanceof BodyStream || (length !== null && length > SHORT_REPLY)) {
      connection.respond(this.stream, fields, false);
      this.writeLong(payload);
      return;
    }
    this.respond(fields, payload, length ?? 0);
    if (payload === null) discardReply(this, reply);
  }

  private respond(fields: string[], payload: MemoryPayload, length: number): void {
    const { stream } = this;
    this.closeUnread();
    const isEmpty = payload === null || length === 0;
    this.connection.respond(stream, fields, isEmpty);
    if (isEmpty) return;
    this.bytesWritten = length;
    if (typeof payload !== "string") stream.end(payload);
    else stream.end(payload, length === payload.length ? "latin1" : "utf8");
  }

  private writeLong(payload: Payload): void {
    this.closeUnread();
    const sink = new StreamSink(this.stream, (bytes) => {
      this.bytesWritten += bytes;
    });
    this.writer = new BodyWriter(sink, toWriterBody(payload), this);
    this.writer.start();
  }

  /** Resets the stream after the reply if the request body is incomplete, so that the client stops sending (RFC 9113 8.1). `close` would wait for a reader. */
  private closeUnread(): void {
    if (this.bodyLength === 0 || this.body?.complete === true) return;
    const { stream } = this;
    // In the same turn of the event loop the reset would be sent before a head that is not yet written.
    stream.once("finish", () => setImmediate(() => this.destroy()));
  }

  /** Replaces a reply that cannot be written with a 500 without details; resets the stream if the head was already sent. */
  private replaceReply(error: unknown): void {
    const { options } = this.connection;
    logUnwritableReply(this, error);
    if (this.end !== null || this.stream.closed || this.stream.destroyed) return;
    if (this.stream.headersSent) return this.reset();
    try {
      this.writeAny(options.reject(new HttpError(500, "The server failed"), null));
    } catch (second) {
      options.log.error("the reply to a failure could not be written", {
        ...exchangeFields(this),
        error: second,
      });
      this.reset();
    }
  }

  /** Ends a stream that its client has closed without an error: `node:http2` keeps it until its body is read. */
  private release(): void {
    if (this.stream.closed) this.stream.destroy();
  }

  /** Closes the stream, with the error if there is one. Bytes in transit still count as a body. */
  private destroy(error?: Error): void {
    const { stream, bodyLength } = this;
    if (!stream.closed && stream.state.remoteClose !== 1)
      this.connection.bodyCut(bodyLength === null ? null : bodyLength - this.arrivedBytes);
    stream.destroy(error);
  }

  private ownBody(): StreamBody {
    if (this.body !== null) return this.body;
    this.body = new StreamBody(this.stream, this.bodyLength, this);
    if (this.end !== null) this.body.exchangeEnded(this.end); // the handler reads the body after the end
    return this.body;
  }

  /** Records whether END_STREAM was sent: nghttp2 drops this state when the stream is destroyed. */
  closing(): void {
    const { stream } = this;
    if (this.endWasSent || !stream.writableEnded || stream.writableFinished) return;
    this.endWasSent = stream.state.localClose === 1;
  }

  /**
   * Whether the whole reply was sent before the stream was closed. A stream whose body was read is destroyed as soon as both sides have ended, before its last
   * write calls back, so it never finishes; `node:http2` also finishes the writing side of a reset stream. NO_ERROR alone is no proof: a client may cancel
   * with it.
   */
  private wasSent(): boolean {
    const { aborted, rstCode, writableFinished } = this.stream;
    return !aborted && (writableFinished || (this.endWasSent && rstCode === NO_ERROR));
  }

  /** Ends the exchange after its stream was closed. */
  closed(): void {
    if (this.end !== null) return;
    const end = this.hasReplied && this.wasSent() ? "sent" : "aborted";
    this.end = end;
    this.connection.streamClosed(this);
    this.body?.exchangeEnded(end);
    if (end === "aborted") this.writer?.stop();
    notifyEnd(this, end);
  }
}
