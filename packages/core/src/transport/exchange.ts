import { BodyStream, type Payload } from "../response/payload.ts";
import type { Reply } from "./reply-head.ts";
import type { ExchangeEnd, RequestSource } from "./request-source.ts";
import type { TransportOptions } from "./transport.ts";

/** What an exchange of any transport needs of the connection that it runs on. */
export interface ExchangeHost {
  readonly options: TransportOptions;
  readonly remoteAddress: string | null;
}

/** A request and its answer, whoever parsed the one and writes the other: how it ends, who is told, and what is logged. */
export abstract class Exchange<Host extends ExchangeHost> implements RequestSource {
  abstract readonly method: string;
  abstract readonly target: string;
  abstract readonly authority: string;
  abstract readonly fields: readonly string[];
  abstract readonly bodyLength: number | null;
  abstract readonly buffered: Uint8Array | null;
  protected readonly connection: Host;
  protected end: ExchangeEnd | null = null;
  private listeners: ((end: ExchangeEnd) => void)[] | null = null;

  constructor(connection: Host) {
    this.connection = connection;
  }

  abstract field(name: string): string | null;
  abstract chunks(): AsyncIterable<Uint8Array>;

  get scheme(): "http" | "https" {
    return this.connection.options.tls === undefined ? "http" : "https";
  }

  get remoteAddress(): string | null {
    return this.connection.remoteAddress;
  }

  onEnd(listener: (end: ExchangeEnd) => void): void {
    if (this.end === null) (this.listeners ??= []).push(listener);
    else this.tell(listener, this.end);
  }

  /** Whether the exchange is over. */
  get ended(): boolean {
    return this.end !== null;
  }

  /** The reply cannot be written, or there is none. */
  logBroken(error: unknown): void {
    const { method, target } = this;
    this.connection.options.log.error("a reply could not be written", { method, target, error });
  }

  /** A streamed reply failed on its way: its connection must be cut. */
  logFailed(error: unknown): void {
    const { method, target } = this;
    this.connection.options.log.error("a streamed reply broke off", { method, target, error });
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

  /** Tells everybody who waits for the end. */
  protected tellEnd(end: ExchangeEnd): void {
    const { listeners } = this;
    if (listeners === null) return;
    this.listeners = null;
    for (const listener of listeners) this.tell(listener, end);
  }

  private tell(listener: (end: ExchangeEnd) => void, end: ExchangeEnd): void {
    try {
      listener(end);
    } catch (error) {
      this.connection.options.log.error("a listener for the end of an exchange threw", { error });
    }
  }
}
