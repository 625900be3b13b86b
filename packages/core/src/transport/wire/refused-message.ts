import { type DescribedRequest, exchangeFields } from "../../exchange/request-fields.ts";
import { UNREADABLE } from "../../exchange/unreadable.ts";
import type { Logger } from "../../log/logger.ts";
import { fieldValue } from "../../http/field-values.ts";
import type { ExchangeEnd, RequestSource } from "../../exchange/request-source.ts";

/** The readable parts of a refused message; `null` for an unreadable method or target. */
export interface PartialHead {
  readonly method: string | null;
  readonly target: string | null;
  /** name, value, name, value … */
  readonly fields: readonly string[];
}

export const unreadableHead: PartialHead = { method: null, target: null, fields: [] };

const nothing: Uint8Array = new Uint8Array(0);

/** A message that the transport refuses without creating an exchange, as a request source for the middleware of features. It has no body. */
export class RefusedMessage implements RequestSource {
  readonly method: string;
  readonly target: string;
  readonly scheme: "http" | "https";
  readonly authority = "";
  readonly remoteAddress: string | null;
  readonly fields: readonly string[];
  readonly bodyLength = 0;
  readonly buffered: Uint8Array = nothing;
  described: DescribedRequest | null = null;
  private listeners: ((end: ExchangeEnd) => void)[] = [];
  private ended: ExchangeEnd | null = null;

  constructor(head: PartialHead, scheme: "http" | "https", remoteAddress: string | null) {
    this.method = head.method ?? UNREADABLE;
    this.target = head.target ?? UNREADABLE;
    this.fields = head.fields;
    this.scheme = scheme;
    this.remoteAddress = remoteAddress;
  }

  field(name: string): string | null {
    return fieldValue(this.fields, name);
  }

  async *chunks(): AsyncGenerator<Uint8Array> {}

  onEnd(listener: (end: ExchangeEnd) => void): void {
    if (this.ended === null) this.listeners.push(listener);
    else listener(this.ended);
  }

  /** Ends the message and calls the listeners for its end. */
  end(how: ExchangeEnd, log: Logger): void {
    const { listeners } = this;
    this.ended = how;
    this.listeners = [];
    for (const listener of listeners) {
      try {
        listener(how);
      } catch (error) {
        log.error("a listener for the end of an exchange threw", { error, ...exchangeFields(this) });
      }
    }
  }
}
