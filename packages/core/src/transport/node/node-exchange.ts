// More than 250 lines, because a request and its reply share one object, which saves an allocation for each request.
import type { IncomingMessage } from "node:http";
import { HttpError } from "../../errors/http-error.ts";
import { fieldValue } from "../../http/field-values.ts";
import {
  type ReceivingExchange,
  discardReply,
  type EndListener,
  type ExchangeHost,
  listenForEnd,
  logUnwritableReply,
  logStreamFailure,
  logAbandonedBodyError,
  schemeOf,
  notifyEnd,
  passToApp,
} from "../wire/exchange.ts";
import { informText } from "../wire/inform-text.ts";
import { StreamBody, type StreamBodyEvents } from "../wire/stream-body.ts";
import type { BodyWriterEvents, BodyWriter } from "../wire/body-writer.ts";
import type { NodeResponse } from "./node-messages.ts";
import { writeOrdinary, writePrepared } from "./node-reply-writer.ts";
import { prepareReply, type ReplyHead } from "../wire/reply-head.ts";
import type { Reply } from "../../exchange/reply.ts";
import { type DescribedRequest, exchangeFields } from "../../exchange/request-fields.ts";
import type { RequestHead } from "../wire/request-head.ts";
import type { ExchangeEnd } from "../../exchange/request-source.ts";

/** The connection's interface to its exchanges. */
export interface ExchangeConnection extends ExchangeHost {
  readonly date: string;
  /** Holds the reply to a complete request until the end of a batch, when `send` is called, if it can. Returns whether it did. */
  holdReply(exchange: NodeExchange): boolean;
  /** Whether the reply must carry `connection: close`. */
  closesAfter(exchange: NodeExchange): boolean;
  /** Serves no further request of the connection: the reply of this exchange is its last (RFC 9112 9.6). */
  stopAfter(exchange: NodeExchange): void;
  /** Whether the exchange is the oldest unfinished one. */
  isFirst(exchange: NodeExchange): boolean;
  /** Discards the rest of a request's body after its reply. */
  discardBody(request: IncomingMessage): void;
  /** Passes ready exchanges to the app. */
  advance(): void;
  /** Called when the reply of an exchange has left the socket's buffer. */
  onReplySent(exchange: NodeExchange): void;
  cut(): void;
}

/** Maximum number of unread bytes of a body that are discarded to keep the connection open. */
const UNREAD_BYTES = 65_536;

/** Largest body in bytes that is collected before the app gets its request. */
const SHORT_BODY = 65_536;

/** One request of `node:http` and its reply. */
export class NodeExchange implements ReceivingExchange, BodyWriterEvents, StreamBodyEvents {
  readonly connection: ExchangeConnection;
  end: ExchangeEnd | null = null;
  listeners: EndListener[] | null = null;
  described: DescribedRequest | null = null;
  readonly method: string;
  readonly target: string;
  readonly authority: string;
  readonly fields: readonly string[];
  readonly bodyLength: number | null;
  buffered: Uint8Array | null = null;
  readonly request: IncomingMessage;
  /** The next exchange on the same connection. */
  next: NodeExchange | null = null;
  /** Whether the exchange can be passed to the app: not while its short body is collected. */
  ready = true;
  /** Whether the exchange has been passed to the app. */
  started = false;
  private readonly response: NodeResponse;
  readonly refusal: HttpError | null;
  private readonly expectsContinue: boolean;
  private readonly minor: number;
  private body: StreamBody | null = null;
  private bodyFailure: HttpError | null = null;
  private writer: BodyWriter | null = null;
  private continued = false;
  /** The reply that is held until the end of a batch. */
  private held: Reply | null = null;
  /** Whether the app has replied. */
  replied = false;

  /** @param head the validated head, or the error that refuses the request */
  constructor(
    connection: ExchangeConnection,
    request: IncomingMessage,
    response: NodeResponse,
    head: RequestHead | HttpError,
  ) {
    this.connection = connection;
    const refused = head instanceof HttpError;
    this.method = request.method ?? "";
    this.target = refused ? (request.url ?? "") : head.target;
    this.authority = refused ? "" : head.authority;
    this.fields = refused ? request.rawHeaders : head.fields;
    this.bodyLength = refused ? 0 : head.bodyLength;
    this.request = request;
    this.response = response;
    this.refusal = refused ? head : null;
    this.expectsContinue = !refused && head.expectsContinue;
    this.minor = request.httpVersionMinor;
  }

  get scheme(): "http" | "https" {
    return schemeOf(this);
  }

  get remoteAddress(): string | null {
    return this.connection.remoteAddress;
  }

  onEnd(listener: EndListener): void {
    listenForEnd(this, listener);
  }

  field(name: string): string | null {
    return fieldValue(this.fields, name);
  }

  chunks(): AsyncIterable<Uint8Array> {
    return this.refusal === null ? this.ownBody() : noChunks();
  }

  inform(status: number, fields: readonly string[]): boolean {
    const { response, connection } = this;
    const { socket } = response;
    if (this.replied || this.end !== null || this.minor === 0 || response.headersSent) return false;
    if (socket === null || !connection.isFirst(this) || socket.writableNeedDrain || !socket.writable)
      return false;
    socket.write(informText(status, fields), "latin1");
    return true;
  }

  /** Starts to collect a short body, so that the app gets it together with the head. Returns `false` for another body, or one that awaits 100 Continue. */
  collect(): boolean {
    const { bodyLength } = this;
    if (bodyLength === null || bodyLength === 0 || bodyLength > SHORT_BODY || this.expectsContinue)
      return false;
    this.ready = false;
    const body = this.ownBody();
    body.collect(() => {
      if (this.ready) return;
      this.buffered = body.whole();
      this.ready = true;
      this.connection.advance();
    });
    return true;
  }

  /** Serves the request without waiting further for its body. */
  stopCollecting(): void {
    if (this.ready) return;
    this.body?.stopCollecting();
    this.ready = true;
  }

  /** Whether the request's body has completely arrived. */
  get complete(): boolean {
    if (this.refusal === null && this.bodyLength === 0) return true;
    // All bytes may have arrived before `complete` is set.
    return this.request.complete || this.body?.complete === true;
  }

  /** Whether the app waits for the client to send more of the body. */
  get waitsForBody(): boolean {
    return this.body?.waiting === true;
  }

  /** Passes the request to the app, or refuses it. */
  start(): void {
    this.started = true;
    passToApp(this);
  }

  /** Writes a body that has waited for earlier exchanges. */
  startBody(): void {
    this.writer?.start();
  }

  /** Fails the rest of the body: it is malformed, too slow, or the client has disconnected. */
  failBody(error: HttpError): void {
    if (this.complete) return;
    this.bodyFailure = error;
    this.body?.fail(error);
    if (this.ready) return;
    this.stopCollecting();
    this.connection.advance();
  }

  beforeFirst(): void {
    if (!this.expectsContinue || this.response.headersSent) return;
    this.continued = true;
    this.response.writeContinue();
  }

  endedEarly(): null {
    return null; // node:http destroys an abandoned message without "end"
  }

  failed(error: unknown): void {
    logStreamFailure(this, error);
    // node:http buffers chunks until the next tick, in the message or its socket: a cut would lose the chunks before the error.
    const { response } = this;
    const { socket } = response;
    while (response.writableCorked > 0) response.uncork();
    while (socket !== null && socket.writableCorked > 0) socket.uncork();
    this.connection.cut();
  }

  late(error: unknown): void {
    logAbandonedBodyError(this, error);
  }

  /** Ends the exchange; later calls change nothing. */
  finish(end: ExchangeEnd): void {
    if (this.end !== null) return;
    this.end = end;
    this.ready = true; // collecting has ended
    this.body?.exchangeEnded(end);
    if (end === "aborted") this.writer?.stop();
    notifyEnd(this, end);
  }

  succeed(reply: Reply): void {
    if (this.end !== null || this.replied) return discardReply(this, reply);
    this.replied = true;
    if (this.complete && !this.expectsContinue && this.connection.holdReply(this)) this.held = reply;
    else this.writeReply(reply);
  }

  /** Writes the reply that was held until the end of a batch. */
  send(): void {
    const { held } = this;
    this.held = null;
    if (held === null) return;
    if (this.end === null) this.writeReply(held);
    else discardReply(this, held);
  }

  private writeReply(reply: Reply): void {
    try {
      if (this.writeOrdinary(reply)) return;
      const head = this.prepare(reply);
      this.write(head);
      if (head.payload === null) discardReply(this, reply);
    } catch (error) {
      discardReply(this, reply);
      this.writeFailure(error);
    }
  }

  /** Writes a reply with a body in memory on a connection that stays open; `false` for any other. */
  private writeOrdinary(reply: Reply): boolean {
    const { connection, response } = this;
    if (!this.complete || this.minor === 0 || this.awaitsContinue) return false;
    if (this.preventsReuse() || connection.closesAfter(this)) return false;
    if (!writeOrdinary(response, reply)) return false;
    this.awaitClose();
    return true;
  }

  private awaitClose(): void {
    this.response.on("close", () => this.connection.onReplySent(this));
  }

  fail(error: unknown): void {
    if (this.replied) return;
    this.replied = true;
    this.writeFailure(error);
  }

  private prepare(reply: Reply): ReplyHead {
    const { method, minor, connection } = this;
    const close = this.preventsReuse() || connection.closesAfter(this);
    const head = prepareReply(reply, { method, minor, close, date: connection.date });
    if (head.close) connection.stopAfter(this);
    else if (this.awaitsContinue) head.fields.push("connection", "keep-alive"); // otherwise node:http closes the connection
    return head;
  }

  /** Whether the connection must close after this message, because of the message itself. */
  private preventsReuse(): boolean {
    if (this.refusal !== null || !this.response.shouldKeepAlive) return true;
    if (this.complete) return false;
    if (this.awaitsContinue) return true; // the client may or may not send the body
    const received = this.body?.received ?? 0;
    return this.bodyLength === null || this.bodyLength - received > UNREAD_BYTES;
  }

  /** Whether the request expects 100 Continue and has not received it. */
  private get awaitsContinue(): boolean {
    return this.expectsContinue && !this.continued;
  }

  private write(head: ReplyHead): void {
    // Before node:http's own listener, which would discard an unbounded body.
    if (!this.complete) this.response.prependListener("finish", () => this.discardBody());
    this.awaitClose();
    this.writer = writePrepared(this.response, head, this.minor, this);
    if (this.writer !== null && this.connection.isFirst(this)) this.writer.start();
  }

  /** Writes a plain 500 without any detail instead of a reply that cannot be written; cuts the connection if this fails, as it does after the head was sent. */
  private writeFailure(error: unknown): void {
    const { options } = this.connection;
    logUnwritableReply(this, error);
    if (this.end !== null) return;
    this.connection.stopAfter(this);
    try {
      const reply = options.reject(new HttpError(500, "The server failed"), null);
      this.write(this.prepare(reply));
    } catch (second) {
      options.log.error("the reply to a failure could not be written", {
        ...exchangeFields(this),
        error: second,
      });
      this.connection.cut();
    }
  }

  private discardBody(): void {
    if (!this.request.complete) this.connection.discardBody(this.request);
  }

  private ownBody(): StreamBody {
    if (this.body !== null) return this.body;
    this.body = new StreamBody(this.request, this.bodyLength, this);
    if (this.bodyFailure !== null) this.body.fail(this.bodyFailure);
    else if (this.end !== null) this.body.exchangeEnded(this.end); // a handler reads the body after the exchange has ended
    return this.body;
  }
}

/** The empty body of a refused message. */
async function* noChunks(): AsyncGenerator<Uint8Array> {}
