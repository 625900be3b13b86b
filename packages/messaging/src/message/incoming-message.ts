import type { Event } from "../envelope/event.ts";
import type { WireHeaders } from "../port/delivery.ts";
import type { Message, MessageMeta } from "./message.ts";

/** Members of a try that `IncomingMessage` uses. */
export interface MessageSource {
  readonly meta: MessageMeta;
  readonly attempt: number;
  /** The signal, created on first access. */
  readonly signal: AbortSignal;
}

/** The message that a handler receives. */
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
  private readonly origin: MessageSource;

  constructor(event: Event, data: unknown, origin: MessageSource) {
    this.id = event.id;
    this.type = event.type;
    this.source = event.source;
    this.subject = event.subject;
    this.time = event.time;
    this.key = event.key;
    this.data = data;
    this.headers = event.headers;
    this.attempt = origin.attempt;
    this.meta = origin.meta;
    this.origin = origin;
  }

  get signal(): AbortSignal {
    return this.origin.signal;
  }
}

/** Returns a message with its signal. A copy by a middleware, `{ ...message, data }`, lacks it, because it is a getter of the class. */
export const withSignal = (message: Message): Message => {
  if (message instanceof IncomingMessage) return message;
  const { signal, origin } = message as Partial<Message> & { readonly origin?: MessageSource };
  return signal !== undefined || origin === undefined ? message : { ...message, signal: origin.signal };
};
