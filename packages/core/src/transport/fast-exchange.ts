import { isPromise } from "../middleware.ts";
import { BodyStream, type Payload } from "../response/payload.ts";
import { FastBody } from "./fast-body.ts";
import { FastFields } from "./fast-fields.ts";
import type { Reply } from "./reply-head.ts";
import type { ExchangeEnd, RequestSource } from "./request-source.ts";
import type { PartialHead, TransportOptions } from "./transport.ts";

/** What an exchange needs of the connection that it runs on. */
export interface FastExchangeConnection {
  readonly options: TransportOptions;
  readonly remoteAddress: string | null;
  /** The app's answer is here, though perhaps not at once. */
  replied(): void;
}

const noBody: Uint8Array = new Uint8Array(0);

/** One request of the fast path and its answer: whole when it is made, and without a closure while the app answers at once. */
export class FastExchange implements RequestSource {
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
  private readonly connection: FastExchangeConnection;
  private readonly bytes: Buffer;
  private readonly fieldsStart: number;
  private readonly fieldsEnd: number;
  private indexed: FastFields | null = null;
  private listed: readonly string[] | null = null;
  private body: FastBody | null = null;
  private end: ExchangeEnd | null = null;
  private listeners: ((end: ExchangeEnd) => void)[] | null = null;

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
    this.method = method;
    this.target = target;
    this.authority = authority;
    this.buffered = body ?? noBody;
    this.connection = connection;
    this.bytes = bytes;
    this.fieldsStart = fieldsStart;
    this.fieldsEnd = fieldsEnd;
  }

  get scheme(): "http" | "https" {
    return this.connection.options.tls === undefined ? "http" : "https";
  }

  get remoteAddress(): string | null {
    return this.connection.remoteAddress;
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

  onEnd(listener: (end: ExchangeEnd) => void): void {
    if (this.end === null) (this.listeners ??= []).push(listener);
    else this.tell(listener, this.end);
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
    const { listeners, reply } = this;
    this.listeners = null;
    this.reply = null;
    if (end === "aborted" && reply !== null) this.discard(reply);
    if (listeners !== null) for (const listener of listeners) this.tell(listener, end);
  }

  /** The reply cannot be written, or there is none. */
  logBroken(error: unknown): void {
    const { method, target } = this;
    this.connection.options.log.error("a reply could not be written", { method, target, error });
  }

  /** Lets a streamed body go that nobody will send. */
  discard(reply: Reply): void {
    let payload: Payload = null;
    try {
      ({ payload } = reply);
    } catch {
      return; // a reply without a readable payload was refused and logged when it was written
    }
    if (payload instanceof BodyStream) payload.cancel().catch((error: unknown) => this.logLate(error));
  }

  asPartialHead(): PartialHead {
    const { method, target, remoteAddress } = this;
    return { method, target, remoteAddress, field: (name) => this.field(name) };
  }

  /** A body that was given up failed; nobody waits for it. */
  logLate(error: unknown): void {
    const { method, target } = this;
    this.connection.options.log.warn("a streamed reply failed while it was given up", {
      method,
      target,
      error,
    });
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

  private tell(listener: (end: ExchangeEnd) => void, end: ExchangeEnd): void {
    try {
      listener(end);
    } catch (error) {
      this.connection.options.log.error("a listener for the end of an exchange threw", { error });
    }
  }
}
