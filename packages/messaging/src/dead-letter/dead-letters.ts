import { deadHeaders, EXPIRES, GROUP, NOT_BEFORE, REPLY_TO, TRIES } from "../envelope/own-headers.ts";
import { newHeaders } from "../envelope/event.ts";
import { failureOf } from "@framework/durable/feature";
import { MAX_ATTRIBUTE } from "../limits.ts";
import type { Delivery, OutgoingMessage } from "../port/delivery.ts";

/** A delivery that gave up. */
export interface Dead {
  readonly delivery: Delivery;
  /** The topic of the subscription. */
  readonly topic: string;
  readonly id: string;
  readonly group: string;
  readonly error: unknown;
  readonly tries: number;
  /** Milliseconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Longest text of an error in a header, in bytes as UTF-8: all dead-letter headers stay below MAX_OWN_HEADER_BYTES. */
const MAX_TEXT_BYTES = 500;

/** Returns a dead letter for a topic: the original body and headers, and why it gave up. */
export const deadLetter = (
  to: string,
  { delivery, topic, id, group, error, tries, firstAt, lastAt }: Dead,
): OutgoingMessage => {
  const { name, message, code } = failureOf(error);
  const headers = lastingHeaders(delivery);
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

/** Returns a message for a retry topic: the original, its tries so far, and when it is due. */
export const postponed = (
  topic: string,
  delivery: Delivery,
  { id, tries, notBefore, group }: { id: string; tries: number; notBefore: number; group: string },
): OutgoingMessage => {
  const headers = originalHeaders(delivery);
  headers[TRIES] = String(tries);
  headers[NOT_BEFORE] = String(notBefore);
  headers[GROUP] = group;
  return copyOf(delivery, { topic, id, headers });
};

/** What a dead letter keeps of the headers of its message without the others: the attributes that an event must have, and the type of its body. */
const ESSENTIAL = /^(content-type|(ce_|ce-|cloudevents[_:])(specversion|id|source|type|subject|time))$/;

/** Returns a dead letter without the headers of its message, for a broker that refuses it with them. */
export const withoutHeaders = (
  letter: OutgoingMessage,
  { topic, partition, offset }: Delivery,
): OutgoingMessage => {
  const headers = newHeaders();
  for (const [name, value] of Object.entries(letter.headers))
    if (isDeadHeader(name) || (ESSENTIAL.test(name) && value.length <= MAX_ATTRIBUTE)) headers[name] = value;
  headers[deadHeaders.leftOut] = "headers";
  headers[deadHeaders.place] = headerText(
    [topic, partition, offset].filter((part) => part !== null).join(" "),
  );
  const { topic: to, id, key, body, delayMs } = letter;
  return { topic: to, id, key, headers, body, delayMs };
};

/** Bytes of the body that a dead letter keeps which is refused with all of it. */
const KEPT_BYTES = 4096;

/** Returns a dead letter without headers that has the beginning of its body alone, as bytes. */
export const withoutBody = (letter: OutgoingMessage): OutgoingMessage => {
  const { key, body } = letter;
  const bytes = typeof body === "string" ? new TextEncoder().encode(body.slice(0, KEPT_BYTES)) : body;
  const headers = Object.assign(newHeaders(), letter.headers, {
    "content-type": "application/octet-stream",
    [deadHeaders.leftOut]: `headers, body after ${KEPT_BYTES} bytes`,
  });
  const shortKey = key !== null && key.length <= MAX_ATTRIBUTE ? key : null;
  return { ...letter, key: shortKey, headers, body: bytes.slice(0, KEPT_BYTES) };
};

const deadNames: ReadonlySet<string> = new Set(Object.values(deadHeaders));
const isDeadHeader = (name: string): boolean => deadNames.has(name);

const copyOf = (
  { key, body, original }: Delivery,
  changed: Pick<OutgoingMessage, "topic" | "id" | "headers">,
): OutgoingMessage => ({ ...changed, key, body, delayMs: 0, ...(original !== undefined && { original }) });

/** The headers of a delivery without those of its own way through messaging. */
const originalHeaders = ({ headers }: Delivery): Record<string, string> => {
  const copy = Object.assign(newHeaders(), headers);
  delete copy[TRIES];
  delete copy[NOT_BEFORE];
  delete copy[GROUP];
  return copy;
};

/** The headers of a dead letter: it does not expire, and the failure of its request was answered. */
export const lastingHeaders = (delivery: Delivery): Record<string, string> => {
  const headers = originalHeaders(delivery);
  delete headers[EXPIRES];
  delete headers[REPLY_TO];
  return headers;
};

/** Short, and without characters that a broker refuses in a header. */
const headerText = (text: string): string => {
  const bytes = new TextEncoder().encode(text.replaceAll(REFUSED, "?"));
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return decoder.decode(bytes.subarray(0, MAX_TEXT_BYTES), { stream: true }); // leaves out a character that is cut
};

const REFUSED = /[\p{Cc}\p{Noncharacter_Code_Point}]/gu;
