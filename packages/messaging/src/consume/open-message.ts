import type { Awaitable, StandardSchema } from "@framework/core";
import { isPromise } from "@framework/core/feature";
import { decode } from "../envelope/decode.ts";
import type { Event } from "../envelope/event.ts";
import { areLargerThan, EXPIRES, GROUP, headerBytes, numberIn } from "../envelope/own-headers.ts";
import { messagingError, PermanentFailure } from "../errors/messaging-error.ts";
import { MAX_OWN_HEADER_BYTES } from "../limits.ts";
import type { WireHeaders } from "../port/delivery.ts";
import { IncomingMessage } from "../message/incoming-message.ts";
import type { Message, MessageMeta } from "../message/message.ts";
import { done, type Outcome } from "../message/outcome.ts";
import type { SubscriptionSpec } from "../subscribe/subscription-spec.ts";
import type { Entry } from "./entry.ts";
import { mainTopic } from "./retry-topics.ts";

/** Size limits of a delivery in bytes. */
export interface MessageLimits {
  readonly maxMessageBytes: number;
  readonly maxHeaderBytes: number;
}

/** Dependencies of `openMessage`. */
export interface OpenMessageParts extends MessageLimits {
  readonly spec: SubscriptionSpec;
  readonly broker: string;
  /** Technology of the broker, as OpenTelemetry names it. */
  readonly system: string;
  /** Returns the time in Unix milliseconds. */
  readonly date: () => number;
}

/** A message to handle, or the outcome of a delivery that needs no handler. */
export type OpenResult = { readonly message: Message } | { readonly outcome: Outcome };

/**
 * Decodes and validates the message of a delivery: size, type and data. Decodes again for each try, because a handler may have changed the data. Never throws.
 */
export const openMessage = (entry: Entry, parts: OpenMessageParts): Awaitable<OpenResult> => {
  try {
    const event = (entry.event = decodeEvent(entry, parts));
    if (isSkipped(entry.delivery.headers, parts)) return { outcome: done };
    return checkType(entry, event, parts);
  } catch (error) {
    return resultOfError(error);
  }
};

const resultOfError = (error: unknown): OpenResult => ({
  outcome: PermanentFailure.is(error) ? { kind: "reject", error } : { kind: "retry", error, delayMs: null },
});

const decodeEvent = (entry: Entry, { spec, maxMessageBytes, maxHeaderBytes }: OpenMessageParts): Event => {
  const { delivery, bytes, event } = entry;
  if (bytes > maxMessageBytes) throw tooLarge(`its body has ${bytes} bytes; the limit is ${maxMessageBytes}`);
  const maxHeaders = maxHeaderBytes + MAX_OWN_HEADER_BYTES;
  if (areLargerThan(delivery.headers, maxHeaders))
    throw tooLarge(`its headers have ${headerBytes(delivery.headers)} bytes; the limit is ${maxHeaders}`);
  const newId = event === null ? undefined : () => event.id; // every try has the same id
  return decode(delivery, spec.isRaw, { newId, topic: mainTopic(delivery.topic, spec.group) });
};

const tooLarge = (problem: string): PermanentFailure =>
  new PermanentFailure("MESSAGING_TOO_LARGE", `the delivery is too large: ${problem}`);

/** Whether the message is a retry or replay for another group, or has expired. */
const isSkipped = (headers: WireHeaders, { spec, date }: OpenMessageParts): boolean => {
  const group = headers[GROUP];
  if (group !== undefined && group !== spec.group) return true;
  const expires = headers[EXPIRES] === undefined ? null : numberIn(headers, EXPIRES);
  return expires !== null && expires < date();
};

const checkType = (entry: Entry, event: Event, parts: OpenMessageParts): Awaitable<OpenResult> => {
  const { spec } = parts;
  const schema = spec.schemas === null ? spec.schema : (spec.schemas.get(event.type) ?? "unknown");
  if (schema === "unknown") return { outcome: unknownOutcome(event, spec) };
  if (schema === null) return messageOf(entry, event, event.data, parts);
  return validate(entry, event, schema, parts);
};

const unknownOutcome = ({ type }: Event, { onUnknown }: SubscriptionSpec): Outcome => {
  if (onUnknown === "ack") return done;
  const message = `the type ${JSON.stringify(type.slice(0, 200))} is unknown to the subscription`;
  if (onUnknown === "park")
    return { kind: "reject", error: new PermanentFailure("MESSAGING_UNKNOWN_TYPE", message) };
  return { kind: "retry", error: messagingError("MESSAGING_UNKNOWN_TYPE", message), delayMs: null };
};

const validate = (
  entry: Entry,
  event: Event,
  schema: StandardSchema,
  parts: OpenMessageParts,
): Awaitable<OpenResult> => {
  const result = schema["~standard"].validate(event.data);
  const open = (settled: Awaited<typeof result>): OpenResult =>
    settled.issues === undefined
      ? messageOf(entry, event, settled.value, parts)
      : resultOfError(invalidData(settled.issues.map(issueText)));
  return isPromise(result) ? result.then(open).catch(resultOfError) : open(result);
};

const issueText = ({
  message,
  path = [],
}: {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}): string => {
  const names = path.map((part) =>
    String(typeof part === "object" && part !== null && "key" in part ? part.key : part),
  );
  return names.length === 0 ? message : `${names.join(".")}: ${message}`;
};

const invalidData = (issues: readonly string[]): PermanentFailure =>
  new PermanentFailure(
    "MESSAGING_INVALID_DATA",
    `the data does not fit its schema: ${issues.slice(0, 10).join("; ").slice(0, 1000)}`,
  );

const messageOf = (entry: Entry, event: Event, data: unknown, parts: OpenMessageParts): OpenResult => {
  const { spec, broker, system } = parts;
  const { partition, offset, isRedelivered } = entry.delivery;
  const topic = mainTopic(entry.delivery.topic, spec.group);
  const meta: MessageMeta = { broker, system, topic, group: spec.group, partition, offset, isRedelivered };
  const attempt = entry.tries + 1;
  return { message: new IncomingMessage(event, data, new MessageTry(entry, attempt, meta)) };
};

/** Attempt, metadata and lazily created signal of one try. */
class MessageTry {
  readonly attempt: number;
  readonly meta: MessageMeta;
  private readonly entry: Entry;

  constructor(entry: Entry, attempt: number, meta: MessageMeta) {
    this.entry = entry;
    this.attempt = attempt;
    this.meta = meta;
  }

  get signal(): AbortSignal {
    return this.entry.signal;
  }
}
