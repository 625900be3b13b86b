import type { Event } from "../envelope/event.ts";
import type { WireHeaders } from "../port/delivery.ts";
import type { Message, MessageMeta } from "./message.ts";

/** What a message needs to know of its place. */
export interface MessageSource {
  readonly meta: MessageMeta;
  readonly attempt: number;
  /** The signal, created on first access. */
  readonly signal: AbortSignal;
}

/** A message as its handler gets it. */
export class IncomingMessage implements Message {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly subject: string | null;
  readonly time: string | null;
  readonly key: string | null;
  readonly data: unknown;
  readonly headers: WireHeaders;
  attempt: number;
  readonly meta: MessageMeta;
  private readonly place: MessageSource;

  constructor(event: Event, data: unknown, place: MessageSource) {
    this.id = event.id;
    this.type = event.type;
    this.source = event.source;
    this.subject = event.subject;
    this.time = event.time;
    this.key = event.key;
    this.data = data;
    this.headers = event.headers;
    this.attempt = place.attempt;
    this.meta = place.meta;
    this.place = place;
  }

  get signal(): AbortSignal {
    return this.place.signal;
  }
}
