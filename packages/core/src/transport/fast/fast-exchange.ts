import { deliver, type Receiver } from "../../middleware/lazy-promise.ts";
import { isPromisedOutput } from "../../middleware/middleware.ts";
import {
  discardReply,
  type EndListener,
  type Exchange,
  type ExchangeHost,
  listenForEnd,
  logUnwritableReply,
  schemeOf,
  notifyEnd,
} from "../wire/exchange.ts";
import { lastLoad } from "../../exchange/input-window.ts";
import { withOwnMemory } from "../../body/read-body.ts";
import { informText } from "../wire/inform-text.ts";
import { FastBody } from "./fast-body.ts";
import type { DescribedRequest } from "../../exchange/request-fields.ts";
import type { Reply } from "../../exchange/reply.ts";
import type { ExchangeEnd, RequestSource } from "../../exchange/request-source.ts";

/** The connection's interface to its exchanges. */
export interface FastExchangeConnection extends ExchangeHost {
  /** Called when an awaited reply to an exchange is ready. */
  onReplyReady(exchange: FastExchange): void;
  /** Writes an interim reply if no earlier reply is pending and the client reads. Returns whether it did. */
  inform(exchange: FastExchange, text: string): boolean;
}

/** Header fields of a parsed request. */
export interface ExchangeFields {
  /** Value of Host. */
  readonly authority: string;
  /** `RequestSource.isPlain` */
  readonly isPlain: boolean;
  /** Value of a field by its lower-case name. */
  get(lowerName: string): string | null;
  /** As received: name, value, name, value … The caller must not change the list: several requests may share it. */
  toList(): readonly string[];
}

const noBody: Uint8Array = new Uint8Array(0);

/** One request of the fast path and its reply. Its body is in memory; a synchronous handler costs no closure and no promise. */
export class FastExchange implements RequestSource, Exchange, Receiver<Reply> {
  readonly connection: FastExchangeConnection;
  end: ExchangeEnd | null = null;
  listeners: EndListener[] | null = null;
  described: DescribedRequest | null = null;
  readonly method: string;
  readonly target: string;
  /** The next exchange on the same connection. */
  next: FastExchange | null = null;
  /** Whether the app has replied. If `reply` is `null` then, the app failed, and the error is logged. */
  ready = false;
  reply: Reply | null = null;
  /** Whether the connection closes after the reply. */
  last = false;
  /** Number of the window load that contains the whole chunk, if the chunk is exactly this request and has a body; otherwise 0. */
  load = 0;
  private readonly head: ExchangeFields;
  /** The bytes that contain the body, from `bodyStart` to `bodyEnd`. A view of the body takes about 700 instructions, so it is created on demand. */
  private readonly bytes: Buffer;
  private readonly bodyStart: number;
  private readonly bodyEnd: number;
  private view: Uint8Array | null = null;
  private body: FastBody | null = null;

  constructor(
    connection: FastExchangeConnection,
    method: string,
    target: string,
    fields: ExchangeFields,
    bytes: Buffer,
    bodyStart: number,
    bodyEnd: number,
  ) {
    this.connection = connection;
    this.method = method;
    this.target = target;
    this.head = fields;
    this.bytes = bytes;
    this.bodyStart = bodyStart;
    this.bodyEnd = bodyEnd;
  }

  get scheme(): "http" | "https" {
    return schemeOf(this);
  }

  get remoteAddress(): string | null {
    return this.connection.remoteAddress;
  }

  get authority(): string {
    return this.head.authority;
  }

  get isPlain(): boolean {
    return this.head.isPlain;
  }

  get bodyLength(): number {
    return this.bodyEnd - this.bodyStart;
  }

  get buffered(): Uint8Array {
    return (this.view ??= viewOf(this.bytes, this.bodyStart, this.bodyEnd));
  }

  inWindow(): number {
    return this.load === lastLoad() ? this.bodyStart : -1;
  }

  get fields(): readonly string[] {
    return this.head.toList();
  }

  field(name: string): string | null {
    return this.head.get(name);
  }

  chunks(): AsyncIterable<Uint8Array> {
    return (this.body ??= new FastBody(withOwnMemory(this.buffered)));
  }

  onEnd(listener: EndListener): void {
    listenForEnd(this, listener);
  }

  inform(status: number, fields: readonly string[]): boolean {
    return !this.ready && this.end === null && this.connection.inform(this, informText(status, fields));
  }

  /** Hands the request to the app. */
  start(): void {
    try {
      const reply = this.connection.options.serve(this);
      if (isPromisedOutput(reply)) deliver(reply, this);
      else this.accept(reply);
    } catch (error) {
      this.giveUp(error);
    }
  }

  /** Ends the exchange; later calls change nothing. */
  finish(end: ExchangeEnd): void {
    if (this.end !== null) return;
    this.end = end;
    const { reply } = this;
    this.reply = null;
    if (end === "aborted" && reply !== null) discardReply(this, reply);
    notifyEnd(this, end);
  }

  /** Receives an awaited reply. */
  succeed(reply: Reply): void {
    this.accept(reply);
    this.connection.onReplyReady(this);
  }

  /** Receives the error of an awaited reply. */
  fail(error: unknown): void {
    this.giveUp(error);
    this.connection.onReplyReady(this);
  }

  private accept(reply: Reply): void {
    if (this.end !== null) return discardReply(this, reply);
    this.reply = reply;
    this.ready = true;
  }

  private giveUp(error: unknown): void {
    this.ready = true;
    logUnwritableReply(this, error);
  }
}

/** Returns a body as a view of the chunk, as `RequestSource.buffered` allows: nothing is copied until a program requests the bytes. */
const viewOf = ({ buffer, byteOffset }: Buffer, start: number, end: number): Uint8Array =>
  start === end ? noBody : new Uint8Array(buffer, byteOffset + start, end - start);
