import { FrameworkError } from "@framework/core";
import { type Clock, type CurrentTrace, keepAlive, type Operations } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import { encode } from "../envelope/encode.ts";
import type { Event } from "../envelope/event.ts";
import { isDeeperThan, maxDepth } from "../envelope/json-depth.ts";
import { EXPIRES, headerBytes, NOT_BEFORE } from "../envelope/own-headers.ts";
import { messagingError } from "../errors/messaging-error.ts";
import { SendFailedError } from "../errors/send-failed-error.ts";
import { MAX_DEPTH, MAX_MESSAGES } from "../limits.ts";
import type { Broker, SendResult } from "../port/broker-adapter.ts";
import type { Capabilities } from "../port/capabilities.ts";
import type { OutgoingMessage } from "../port/delivery.ts";
import { delayRule, isDelay } from "../waiting/is-delay.ts";
import type { Receipt } from "./new-message.ts";
import type { SentMessages } from "./send-operations.ts";
import { isTopicName, topicNameRule } from "./topic.ts";
import { badMessage } from "./to-event.ts";

/** Options of a send to one broker. */
export interface SendSettings {
  /** Earliest delivery in milliseconds from now, at most 7 days. @default 0 */
  readonly delayMs?: number;
  /** Time to live in milliseconds, at most 7 days: a later delivery is acknowledged without calling the handler. @default unlimited */
  readonly ttlMs?: number;
  /** Transaction of the app's database: the message is sent if and when it commits. @default none: sends at once */
  readonly tx?: Transaction | undefined;
}

/** Dependencies of `Sender`. */
export interface SenderParts {
  readonly broker: () => Broker;
  /** Whether the broker was closed with its app. */
  readonly isClosed: () => boolean;
  readonly capabilities: Capabilities;
  readonly clock: Clock;
  readonly maxMessageBytes: number;
  readonly maxHeaderBytes: number;
  readonly sendTimeoutMs: number;
  /** Name of the broker in the app. */
  readonly name: string;
  /** Technology of the broker, as OpenTelemetry names it. */
  readonly system: string;
  /** Publishes sends to traces. */
  readonly sends: Pick<Operations<SentMessages>, "isObserved" | "run">;
  /** Returns the current trace. */
  readonly trace: () => CurrentTrace | null;
  /** Stores messages in a transaction; `null` if the broker has no outbox. */
  readonly outbox: { add(tx: Transaction, messages: readonly OutgoingMessage[]): Promise<void> } | null;
}

/** Sends events to one broker. */
export class Sender {
  private readonly parts: SenderParts;

  constructor(parts: SenderParts) {
    this.parts = parts;
  }

  /** Sends events. @throws MESSAGING_TOO_LARGE, MESSAGING_BAD_MESSAGE, SendFailedError; MESSAGING_BAD_CONFIG for `tx` without an outbox */
  async send(
    topic: string,
    events: readonly Event[],
    settings: SendSettings = {},
  ): Promise<readonly Receipt[]> {
    if (!isTopicName(topic)) throw badMessage(`the name of its topic must have ${topicNameRule}`);
    if (events.length === 0) return [];
    if (events.length > MAX_MESSAGES) throw badMessage(`one call must send at most ${MAX_MESSAGES} messages`);
    const { name, system, sends, isClosed } = this.parts;
    if (isClosed()) throw new SendFailedError(topic, new Error("the app has stopped"));
    if (!sends.isObserved) return await this.sendAll(topic, events, settings);
    const sent = { broker: name, system, topic, count: events.length };
    return await sends.run(sent, () => this.sendAll(topic, events, settings));
  }

  private async sendAll(
    topic: string,
    events: readonly Event[],
    settings: SendSettings,
  ): Promise<readonly Receipt[]> {
    const trace = this.parts.trace()?.headers() ?? null;
    const messages = events.map((event) => this.toOutgoing(topic, event, { ...settings, trace }));
    const { tx } = settings;
    if (tx !== undefined) {
      await this.sendIn(tx, messages);
      return messages.map(({ id }) => ({ id }));
    }
    const results = await this.sendNow(messages);
    return messages.map(({ id }, at) => receiptOf(topic, id, results[at]));
  }

  /** Sends encoded messages and resolves with one result each. */
  async sendNow(messages: readonly OutgoingMessage[]): Promise<readonly SendResult[]> {
    const { broker, clock, sendTimeoutMs } = this.parts;
    const release = keepAlive(); // an unavailable broker may have no socket
    const limit = new AbortController();
    const cancel = clock.after(sendTimeoutMs, () =>
      limit.abort(new Error(`not confirmed within ${sendTimeoutMs} ms`)),
    );
    try {
      return await broker().producer.send(messages, { signal: limit.signal });
    } finally {
      cancel();
      release();
    }
  }

  private async sendIn(tx: Transaction, messages: readonly OutgoingMessage[]): Promise<void> {
    const { name, broker, outbox } = this.parts;
    const { producer } = broker();
    if (producer.sendIn !== undefined) return await producer.sendIn(tx, messages);
    if (outbox === null)
      throw messagingError(
        "MESSAGING_BAD_CONFIG",
        `\`tx\` needs the outbox of the broker "${name}": add \`outbox: true\` to the options that enable it`,
      );
    await outbox.add(tx, messages);
  }

  private toOutgoing(
    topic: string,
    event: Event,
    settings: SendSettings & { readonly trace: OutgoingMessage["headers"] | null },
  ): OutgoingMessage {
    const { delayMs = 0, ttlMs, trace } = settings;
    const { capabilities, clock } = this.parts;
    checkDelay(delayMs, "delayMs");
    let headers = trace === null ? event.headers : withTrace(event.headers, trace);
    if (ttlMs !== undefined) {
      checkDelay(ttlMs, "ttlMs");
      headers = { ...headers, [EXPIRES]: String(Math.ceil(clock.date() + ttlMs)) };
    }
    const isEmulated = delayMs > capabilities.maxDelayMs;
    if (isEmulated) headers = { ...headers, [NOT_BEFORE]: String(Math.ceil(clock.date() + delayMs)) };
    const { body, headers: encoded } = this.encodeEvent({ ...event, headers });
    if (trace !== null && headerBytes(encoded) > this.maxHeaders)
      return this.toOutgoing(topic, event, { ...settings, trace: shorterTrace(trace) });
    this.checkSize(body, encoded);
    return { topic, id: event.id, key: event.key, headers: encoded, body, delayMs: isEmulated ? 0 : delayMs };
  }

  private get maxHeaders(): number {
    return Math.min(this.parts.maxHeaderBytes, this.parts.capabilities.maxHeaderBytes);
  }

  private encodeEvent(event: Event): ReturnType<typeof encode> {
    const { envelope } = this.parts.capabilities;
    const encoded = withJsonError(() => encode(event, envelope));
    if (isDeeperThan(encoded.body, maxDepth[envelope.mode]))
      throw badMessage(`its data is nested deeper than ${MAX_DEPTH} levels`);
    return encoded;
  }

  private checkSize(body: string, headers: OutgoingMessage["headers"]): void {
    const { maxHeaders } = this;
    const maxBody = Math.min(this.parts.maxMessageBytes, this.parts.capabilities.maxBodyBytes);
    if (body.length * 3 > maxBody && Buffer.byteLength(body) > maxBody)
      throw messagingError("MESSAGING_TOO_LARGE", `the body of a message exceeds ${maxBody} bytes`);
    if (headerBytes(headers) > maxHeaders)
      throw messagingError("MESSAGING_TOO_LARGE", `the headers of a message exceed ${maxHeaders} bytes`);
  }
}

const withJsonError = <T>(write: () => T): T => {
  try {
    return write();
  } catch (error) {
    if (FrameworkError.is(error)) throw error;
    throw badMessage("its data cannot be written as JSON", error); // a toJSON method or getter threw
  }
};

/** Maximum bytes of trace context: a caller's baggage must not make a message too large. */
const MAX_TRACE_BYTES = 1024;

/** Adds the current trace context to headers. Theirs is kept if it belongs to another trace; in the same trace, it is that of a forwarded message. Their baggage is always kept. */
const withTrace = (headers: Event["headers"], trace: Event["headers"]): Event["headers"] => {
  const { traceparent: given } = headers;
  const { traceparent } = trace;
  if (given !== undefined && traceIdOf(given) !== traceIdOf(traceparent)) return headers;
  const fits = headerBytes(trace) <= MAX_TRACE_BYTES;
  const current = fits ? trace : traceparent === undefined ? {} : { traceparent };
  if (given === undefined) return { ...current, ...headers };
  const { traceparent: _parent, tracestate: _state, ...rest } = headers;
  return { ...current, ...rest };
};

/** Returns the trace id of a `traceparent`. */
const traceIdOf = (traceparent = ""): string => traceparent.slice(3, 35);

/** Returns the trace context for headers that have no room for all of it: without baggage, then none. */
const shorterTrace = ({ traceparent, ...rest }: Event["headers"]): Event["headers"] | null =>
  traceparent === undefined || Object.keys(rest).length === 0 ? null : { traceparent };

const checkDelay = (value: number, name: string): void => {
  if (!isDelay(value)) throw badMessage(`${name} must be ${delayRule}`);
};

const receiptOf = (topic: string, id: string, result: SendResult | undefined): Receipt => {
  if (result === undefined) throw new SendFailedError(topic, new Error("the broker returned no result"));
  if (!result.ok) throw new SendFailedError(topic, result.error);
  const { partition, offset } = result;
  return { id, ...(partition !== undefined && { partition }), ...(offset !== undefined && { offset }) };
};
