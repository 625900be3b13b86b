import { isPromisedOutput } from "../../middleware/middleware.ts";
import {
  discardReply,
  type EndListener,
  type Exchange,
  type ExchangeHost,
  listenForEnd,
  logBroken,
  schemeOf,
  notifyEnd,
} from "../wire/exchange.ts";
import { withOwnMemory } from "../../body/read-body.ts";
import { informText } from "../wire/inform-text.ts";
import { FastBody } from "./fast-body.ts";
import type { Reply } from "../../exchange/reply.ts";
import type { ExchangeEnd, RequestSource } from "../../exchange/request-source.ts";

/** Parts of a connection that an exchange uses. */
export interface FastExchangeConnection extends ExchangeHost {
  /** The app's reply to an exchange is ready. Called only for replies that were awaited. */
  replyReady(): void;
  /** Writes an interim reply, if it is the turn of the exchange and the client reads; whether it did. */
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
export class FastExchange implements RequestSource, Exchange {
  readonly connection: FastExchangeConnection;
  end: ExchangeEnd | null = null;
  listeners: EndListener[] | null = null;
  readonly method: string;
  readonly target: string;
  readonly buffered: Uint8Array;
  /** The next exchange on the same connection. */
  next: FastExchange | null = null;
  /** Whether the app has replied. A `null` reply then means that it failed, and that the error is logged. */
  ready = false;
  reply: Reply | null = null;
  /** Whether the connection closes after the reply. */
  last = false;
  private readonly head: ExchangeFields;
  private body: FastBody | null = null;

  constructor(
    connection: FastExchangeConnection,
    method: string,
    target: string,
    fields: ExchangeFields,
    body: Uint8Array | null,
  ) {
    this.connection = connection;
    this.method = method;
    this.target = target;
    this.buffered = body ?? noBody;
    this.head = fields;
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
    return this.buffered.byteLength;
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
      if (isPromisedOutput(reply)) this.wait(reply);
      else this.answer(reply);
    } catch (error) {
      this.fail(error);
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

  private wait(reply: Promise<Reply>): void {
    reply.then(
      (value) => {
        this.answer(value);
        this.connection.replyReady();
      },
      (error: unknown) => {
        this.fail(error);
        this.connection.replyReady();
      },
    );
  }

  private answer(reply: Reply): void {
    if (this.end !== null) return discardReply(this, reply);
    this.reply = reply;
    this.ready = true;
  }

  private fail(error: unknown): void {
    this.ready = true;
    logBroken(this, error);
  }
}
