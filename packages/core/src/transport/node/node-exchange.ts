// Above 250 lines because it is one object on purpose: a request and its answer, made once for every request.
import type { IncomingMessage } from "node:http";
import { clientGone } from "../../errors/client-gone.ts";
import { HttpError } from "../../errors/http-error.ts";
import { isPromise } from "../../middleware/middleware.ts";
import { fieldValue } from "../../http/field-values.ts";
import {
  discardReply,
  type EndListener,
  type Exchange,
  type ExchangeHost,
  listenForEnd,
  logBroken,
  logFailed,
  logLate,
  schemeOf,
  notifyEnd,
} from "../wire/exchange.ts";
import { NodeBody } from "./node-body.ts";
import type { BodyWriterEvents, BodyWriter } from "../wire/body-writer.ts";
import type { NodeResponse } from "./node-messages.ts";
import { writeOrdinary, writeReply } from "./node-reply-writer.ts";
import { prepareReply, type ReplyHead } from "../wire/reply-head.ts";
import type { Reply } from "../../exchange/reply.ts";
import type { RequestHead } from "../wire/request-head.ts";
import type { ExchangeEnd, RequestSource } from "../../exchange/request-source.ts";

/** What an exchange needs of the connection that it runs on. */
export interface ExchangeConnection extends ExchangeHost {
  readonly date: string;
  /** Whether the answer of this exchange must say that it is the last one on its connection. */
  closesAfter(exchange: NodeExchange): boolean;
  /** No request that arrives from now on is served. */
  stop(): void;
  /** Whether it is this exchange's turn to write. */
  isFirst(exchange: NodeExchange): boolean;
  /** The answer is out, though not all of the request is in: reads on, and drops what comes. */
  discardBody(request: IncomingMessage): void;
  /** An exchange became ready. */
  advance(): void;
  /** The answer is out. */
  replySent(exchange: NodeExchange): void;
  cut(): void;
}

/** An unread body of at most so many bytes is read away; a connection with more of it closes. */
const unreadBytes = 65_536;

/** A body of at most so many bytes is given to the app in one piece, if it comes at once. */
const shortBody = 65_536;

/** One request of `node:http` and its answer. */
export class NodeExchange implements RequestSource, Exchange, BodyWriterEvents {
  readonly connection: ExchangeConnection;
  end: ExchangeEnd | null = null;
  listeners: EndListener[] | null = null;
  readonly method: string;
  readonly target: string;
  readonly authority: string;
  readonly fields: readonly string[];
  readonly bodyLength: number | null;
  buffered: Uint8Array | null = null;
  readonly request: IncomingMessage;
  /** The exchange behind this one on the same connection. */
  next: NodeExchange | null = null;
  /** Whether it can be handed to the app: not while its short body is waited for. */
  ready = true;
  /** Whether it was handed to the app. */
  started = false;
  private readonly response: NodeResponse;
  private readonly refusal: HttpError | null;
  private readonly expectsContinue: boolean;
  private readonly minor: number;
  private body: NodeBody | null = null;
  private bodyFailure: HttpError | null = null;
  private writer: BodyWriter | null = null;
  private continued = false;
  private replied = false;

  /** @param head what the rules made of the request: a head to serve, or why it is refused */
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

  /** Waits for a short body, so that the app gets it with the head; tells whether there is one to wait for. */
  collect(): boolean {
    const { bodyLength } = this;
    if (bodyLength === null || bodyLength === 0 || bodyLength > shortBody || this.expectsContinue)
      return false;
    this.ready = false;
    const body = this.ownBody();
    body.collect(() => {
      this.buffered = body.whole();
      this.ready = true;
      this.connection.advance();
    });
    return true;
  }

  /** The body did not come in time, or will not come: the app has to know of the request without it. */
  stopCollecting(): void {
    if (this.ready) return;
    this.body?.stopCollecting();
    this.ready = true;
  }

  /** Whether the request's body has arrived whole. */
  get complete(): boolean {
    if (this.refusal === null && this.bodyLength === 0) return true;
    // Every byte may be here though node:http has not said so yet.
    return this.request.complete || (this.body !== null && this.body.received === this.bodyLength);
  }

  /** Whether the app waits for the client to send more of the body. */
  get waitsForBody(): boolean {
    return this.body?.waiting === true;
  }

  /** Hands the request to the app, or answers why it is refused. */
  start(): void {
    this.started = true;
    const { serve, reject } = this.connection.options;
    try {
      const reply = this.refusal === null ? serve(this) : reject(this.refusal, this);
      if (!isPromise(reply)) return this.answer(reply);
      reply.then(
        (late) => this.answer(late),
        (error: unknown) => this.fail(error),
      );
    } catch (error) {
      this.fail(error);
    }
  }

  /** Writes the body of the answer if it has waited for the exchanges in front. */
  startBody(): void {
    this.writer?.start();
  }

  /** The rest of the request's body cannot be had: it is malformed, too slow, or the client is gone. */
  failBody(error: HttpError): void {
    if (this.complete) return;
    this.bodyFailure = error;
    this.body?.fail(error);
    if (this.ready) return;
    this.stopCollecting();
    this.connection.advance();
  }

  failed(error: unknown): void {
    logFailed(this, error);
    this.connection.cut();
  }

  late(error: unknown): void {
    logLate(this, error);
  }

  /** Ends the exchange; later calls change nothing. */
  finish(end: ExchangeEnd): void {
    if (this.end !== null) return;
    this.end = end;
    this.ready = true; // it is collected no longer
    if (!this.complete) this.failBody(end === "aborted" ? clientGone() : bodyOver());
    if (end === "aborted") this.writer?.stop();
    notifyEnd(this, end);
  }

  private answer(reply: Reply): void {
    if (this.end !== null || this.replied) return discardReply(this, reply);
    this.replied = true;
    try {
      if (this.writeOrdinary(reply)) return;
      const head = this.prepare(reply);
      this.write(head);
      if (head.payload === null) discardReply(this, reply);
    } catch (error) {
      discardReply(this, reply);
      this.answerBroken(error);
    }
  }

  /** The short way of most replies: a body in memory, on a connection that stays open. */
  private writeOrdinary(reply: Reply): boolean {
    const { connection, response } = this;
    if (!this.complete || this.minor === 0) return false;
    if (this.closesBefore() || connection.closesAfter(this)) return false;
    if (!writeOrdinary(response, reply)) return false;
    if (connection.isFirst(this) && isOut(response)) connection.replySent(this);
    else this.awaitClose();
    return true;
  }

  private awaitClose(): void {
    this.response.on("close", () => this.connection.replySent(this));
  }

  private fail(error: unknown): void {
    if (this.replied) return;
    this.replied = true;
    this.answerBroken(error);
  }

  private prepare(reply: Reply): ReplyHead {
    const { method, minor, connection } = this;
    const close = this.closesBefore() || connection.closesAfter(this);
    const head = prepareReply(reply, { method, minor, close, date: connection.date });
    if (head.close) connection.stop();
    return head;
  }

  /** Whether this message itself forbids another one behind it. */
  private closesBefore(): boolean {
    if (this.refusal !== null || !this.response.shouldKeepAlive) return true;
    if (this.expectsContinue && !this.continued) return true; // node:http closes too, though the body may be here
    if (this.complete) return false;
    const received = this.body?.received ?? 0;
    return this.bodyLength === null || this.bodyLength - received > unreadBytes;
  }

  private write(head: ReplyHead): void {
    // Before node:http's own listener: it would read away without a bound, and without a way to see it.
    if (!this.complete) this.response.prependListener("finish", () => this.discardBody());
    this.awaitClose();
    this.writer = writeReply(this.response, head, this.minor, this);
    if (this.writer !== null && this.connection.isFirst(this)) this.writer.start();
  }

  /** The reply cannot be written: a plain 500 that tells nothing, unless the head is out already. */
  private answerBroken(error: unknown): void {
    const { options } = this.connection;
    logBroken(this, error);
    if (this.end !== null) return;
    this.connection.stop();
    try {
      const reply = options.reject(new HttpError(500, "The server failed"), null);
      this.write(this.prepare(reply));
    } catch (second) {
      options.log.error("the reply to a failure could not be written", { error: second });
      this.connection.cut();
    }
  }

  private discardBody(): void {
    if (!this.request.complete) this.connection.discardBody(this.request);
  }

  private ownBody(): NodeBody {
    if (this.body !== null) return this.body;
    this.body = new NodeBody(this.request, this.bodyLength, () => this.sendContinue());
    if (this.bodyFailure !== null) this.body.fail(this.bodyFailure);
    return this.body;
  }

  private sendContinue(): void {
    if (!this.expectsContinue || this.response.headersSent) return;
    this.continued = true;
    this.response.writeContinue();
  }
}

/** Whether the socket took a response at once. `node:http` says so too, but a tick later, and to a listener, which costs more than the look. */
const isOut = ({ socket }: NodeResponse): boolean =>
  socket !== null && socket.writableLength === 0 && !socket.writableNeedDrain && !socket.destroyed;

/** A refused message is seen without its body. */
async function* noChunks(): AsyncGenerator<Uint8Array> {}

/** For whoever still reads when the answer is out. */
const bodyOver = (): HttpError =>
  new HttpError(400, "The request was replySent before its body was read to the end", {
    code: "CORE_BODY_OVER",
  });
