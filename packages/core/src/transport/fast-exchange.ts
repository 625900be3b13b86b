import { isPromise } from "../middleware.ts";
import { Exchange, type ExchangeHost } from "./exchange.ts";
import { FastBody } from "./fast-body.ts";
import { FastFields } from "./fast-fields.ts";
import type { Reply } from "./reply-head.ts";
import type { ExchangeEnd } from "./request-source.ts";

/** What an exchange needs of the connection that it runs on. */
export interface FastExchangeConnection extends ExchangeHost {
  /** The app's answer is here, though perhaps not at once. */
  replied(): void;
}

const noBody: Uint8Array = new Uint8Array(0);

/** One request of the fast path and its answer: whole when it is made, and without a closure while the app answers at once. */
export class FastExchange extends Exchange<FastExchangeConnection> {
  readonly method: string;
  readonly target: string;
  readonly authority: string;
  readonly buffered: Uint8Array;
  /** The exchange behind this one on the same connection. */
  next: FastExchange | null = null;
  /** Whether the app has answered, with `reply` or, being `null`, with an error that is logged already. */
  ready = false;
  reply: Reply | null = null;
  /** Whether the connection closes behind the answer. */
  last = false;
  private readonly bytes: Buffer;
  private readonly fieldsStart: number;
  private readonly fieldsEnd: number;
  private indexed: FastFields | null = null;
  private listed: readonly string[] | null = null;
  private body: FastBody | null = null;

  /** @param bytes where the fields are, from `fieldsStart` to `fieldsEnd` */
  constructor(
    connection: FastExchangeConnection,
    method: string,
    target: string,
    authority: string,
    bytes: Buffer,
    fieldsStart: number,
    fieldsEnd: number,
    body: Uint8Array | null,
  ) {
    super(connection);
    this.method = method;
    this.target = target;
    this.authority = authority;
    this.buffered = body ?? noBody;
    this.bytes = bytes;
    this.fieldsStart = fieldsStart;
    this.fieldsEnd = fieldsEnd;
  }

  get bodyLength(): number {
    return this.buffered.byteLength;
  }

  get fields(): readonly string[] {
    return (this.listed ??= this.index.toList());
  }

  field(name: string): string | null {
    return this.index.get(name);
  }

  chunks(): AsyncIterable<Uint8Array> {
    return (this.body ??= new FastBody(this.buffered));
  }

  /** Hands the request to the app. */
  start(): void {
    try {
      const reply = this.connection.options.serve(this);
      if (isPromise(reply)) this.wait(reply);
      else this.answer(reply);
    } catch (error) {
      this.crash(error);
    }
  }

  /** Ends the exchange; later calls change nothing. */
  finish(end: ExchangeEnd): void {
    if (this.end !== null) return;
    this.end = end;
    const { reply } = this;
    this.reply = null;
    if (end === "aborted" && reply !== null) this.discard(reply);
    this.tellEnd(end);
  }

  private get index(): FastFields {
    return (this.indexed ??= new FastFields(this.bytes, this.fieldsStart, this.fieldsEnd));
  }

  private wait(reply: Promise<Reply>): void {
    reply.then(
      (value) => {
        this.answer(value);
        this.connection.replied();
      },
      (error: unknown) => {
        this.crash(error);
        this.connection.replied();
      },
    );
  }

  private answer(reply: Reply): void {
    if (this.end !== null) return this.discard(reply);
    this.reply = reply;
    this.ready = true;
  }

  private crash(error: unknown): void {
    this.ready = true;
    this.logBroken(error);
  }
}
