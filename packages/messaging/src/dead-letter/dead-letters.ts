import { deadHeaders, EXPIRES, GROUP, NOT_BEFORE, RAW_ID, REPLY_TO, TRIES } from "../envelope/own-headers.ts";
import { newHeaders } from "../envelope/event.ts";
import { headerText } from "../envelope/header-text.ts";
import { failureOf } from "@framework/durable/feature";
import { MAX_ATTRIBUTE } from "../limits.ts";
import type { Delivery, OutgoingMessage } from "../port/delivery.ts";

/** A delivery that becomes a dead letter, with its cause. */
export interface DeadDelivery {
  readonly delivery: Delivery;
  /** The topic of the subscription. */
  readonly topic: string;
  readonly id: string;
  readonly group: string;
  readonly error: unknown;
  readonly tries: number;
  /** Time of the first try in Unix milliseconds. */
  readonly firstAt: number;
  /** Time of the last failure in Unix milliseconds. */
  readonly lastAt: number;
}

/** Returns a dead letter for a topic: the original body and headers, and the last error. */
export const deadLetter = (
  to: string,
  { delivery, topic, id, group, error, tries, firstAt, lastAt }: DeadDelivery,
): OutgoingMessage => {
  const { name, message, code } = failureOf(error);
  const headers = headersForDeadLetter(delivery);
  headers[deadHeaders.error] = headerText(name);
  headers[deadHeaders.message] = headerText(message);
  if (code !== null) headers[deadHeaders.code] = headerText(code);
  headers[deadHeaders.tries] = String(tries);
  headers[deadHeaders.firstAt] = new Date(firstAt).toISOString();
  headers[deadHeaders.lastAt] = new Date(lastAt).toISOString();
  headers[deadHeaders.topic] = topic;
  headers[deadHeaders.group] = group;
  return copyOf(delivery, { topic: to, id, headers });
};

/** Returns a message for a retry topic: the original with its tries so far and its due time. */
export const postponedMessage = (
  topic: string,
  delivery: Delivery,
  {
    id,
    isEvent,
    tries,
    notBefore,
    group,
  }: { id: string; isEvent: boolean; tries: number; notBefore: number; group: string },
): OutgoingMessage => {
  const headers = originalHeaders(delivery);
  if (!isEvent) headers[RAW_ID] ??= id;
  headers[TRIES] = String(tries);
  headers[NOT_BEFORE] = String(notBefore);
  headers[GROUP] = group;
  return copyOf(delivery, { topic, id, headers });
};

/** Headers of the message that a reduced dead letter keeps: the main attributes of its event, and the content type. */
const ESSENTIAL = /^(content-type|(ce_|ce-|cloudevents[_:])(specversion|id|source|type|subject|time))$/;

/** Returns a dead letter without most of the message's headers, for a broker that refused it with them. */
export const withoutHeaders = (
  message: OutgoingMessage,
  { topic, partition, offset }: Delivery,
): OutgoingMessage => {
  const headers = newHeaders();
  for (const [name, value] of Object.entries(message.headers))
    if (isDeadHeader(name) || (ESSENTIAL.test(name) && value.length <= MAX_ATTRIBUTE)) headers[name] = value;
  headers[deadHeaders.leftOut] = "headers";
  headers[deadHeaders.place] = headerText(
    [topic, partition, offset].filter((part) => part !== null).join(" "),
  );
  const { topic: to, id, key, body, delayMs } = message;
  return { topic: to, id, key, headers, body, delayMs };
};

/** Maximum bytes of the body of a truncated dead letter. */
const TRUNCATED_BYTES = 4096;

/** Returns a dead letter with its body truncated to 4,096 bytes, and without a key that is too long. */
export const withTruncatedBody = (message: OutgoingMessage): OutgoingMessage => {
  const { key, body } = message;
  const bytes = typeof body === "string" ? new TextEncoder().encode(body.slice(0, TRUNCATED_BYTES)) : body;
  const headers = Object.assign(newHeaders(), message.headers, {
    "content-type": "application/octet-stream",
    [deadHeaders.leftOut]: `headers, body after ${TRUNCATED_BYTES} bytes`,
  });
  const shortKey = key !== null && key.length <= MAX_ATTRIBUTE ? key : null;
  return { ...message, key: shortKey, headers, body: bytes.slice(0, TRUNCATED_BYTES) };
};

const deadNames: ReadonlySet<string> = new Set(Object.values(deadHeaders));
const isDeadHeader = (name: string): boolean => deadNames.has(name);

const copyOf = (
  { key, body, original }: Delivery,
  changes: Pick<OutgoingMessage, "topic" | "id" | "headers">,
): OutgoingMessage => ({ ...changes, key, body, delayMs: 0, ...(original !== undefined && { original }) });

/** Returns the headers of a delivery, without the headers of an earlier retry or replay. */
const originalHeaders = ({ headers }: Delivery): Record<string, string> => {
  const copy = Object.assign(newHeaders(), headers);
  delete copy[TRIES];
  delete copy[NOT_BEFORE];
  delete copy[GROUP];
  return copy;
};

/** Returns the headers of a delivery for its dead letter: without the expiry, and without the reply topic, because its request has already failed. */
export const headersForDeadLetter = (delivery: Delivery): Record<string, string> => {
  const headers = originalHeaders(delivery);
  delete headers[EXPIRES];
  delete headers[REPLY_TO];
  delete headers[RAW_ID];
  return headers;
};
