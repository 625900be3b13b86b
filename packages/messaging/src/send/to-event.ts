import { isOptions, isPlainObject } from "@framework/core/feature";
import type { Event } from "../envelope/event.ts";
import { newHeaders, noHeaders } from "../envelope/event.ts";
import { isExtension } from "../envelope/extensions.ts";
import { OWN_PREFIX } from "../envelope/own-headers.ts";
import { messagingError } from "../errors/messaging-error.ts";
import { MAX_ATTRIBUTE } from "../limits.ts";
import type { NewMessage } from "./new-message.ts";

/** Defaults of a new message. */
export interface EventDefaults {
  readonly source: string;
  readonly newId: () => string;
  readonly date: () => number;
}

const HEADER = /^[A-Za-z0-9][\w.-]{0,99}$/;
const RESERVED = /^(?:ce[-_]|cloudevents[:_]|content-type$|x-framework|framework-)/;

/** Checks a message and fills in its defaults. @throws MESSAGING_BAD_MESSAGE */
export const toEvent = (message: NewMessage, { source, newId, date }: EventDefaults): Event => {
  if (!isOptions(message)) throw badMessage("it must be an object with a type");
  return {
    id: message.id === undefined ? newId() : text(message.id, "id"),
    type: text(message.type, "type"),
    source: message.source === undefined ? source : sourceOf(message.source),
    subject: message.subject === undefined ? null : text(message.subject, "subject"),
    time: timeOf(message.time, date),
    key: message.key === undefined ? null : text(message.key, "key"),
    data: message.data,
    headers: headersOf(message.headers),
  };
};

const text = (value: unknown, name: string): string => {
  const isText = typeof value === "string" && value !== "" && value.length <= MAX_ATTRIBUTE;
  if (isText && isPrintable(value)) return value;
  throw badMessage(`${name} must be a string of 1 to ${MAX_ATTRIBUTE} characters without control characters`);
};

const sourceOf = (value: unknown): string => {
  if (isSource(value)) return value;
  throw badMessage(`source must be ${sourceRule}`);
};

/** Characters of URI references, RFC 3986. */
const URI_REFERENCE = /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})+$/i;

/** Whether a value is a valid source of events. */
export const isSource = (value: unknown): value is string =>
  typeof value === "string" && value.length <= MAX_ATTRIBUTE && URI_REFERENCE.test(value);

/** Rule of `isSource`, for error messages. */
export const sourceRule: string = `a URI reference of 1 to ${MAX_ATTRIBUTE} characters, such as "/shop"; encodeURI escapes others`;

// oxlint-disable-next-line no-control-regex -- these are the characters that are refused
const CONTROL = /[\x00-\x1f\x7f]/;

/** Whether a text has no control character and no lone surrogate. */
export const isPrintable = (text: string): boolean => text.isWellFormed() && !CONTROL.test(text);

const timeOf = (time: Date | undefined, date: () => number): string => {
  if (time === undefined) return textOfDate(date());
  if (time instanceof Date && time.getTime() >= YEAR_0 && time.getTime() < YEAR_10_000)
    return time.toISOString();
  throw badMessage("time must be a valid Date of the years 0 to 9999");
};

/** Range of RFC 3339 timestamps, in Unix milliseconds. */
const YEAR_0 = -62_167_219_200_000;
const YEAR_10_000 = 253_402_300_800_000;

let lastDate = { at: NaN, text: "" };

/** Formats a date. Cached, because many messages are sent in one millisecond. */
const textOfDate = (at: number): string => {
  if (at !== lastDate.at) lastDate = { at, text: new Date(at).toISOString() };
  return lastDate.text;
};

const isName = (given: string): boolean => {
  const name = given.toLowerCase();
  const isReserved = RESERVED.test(name) || name.startsWith(OWN_PREFIX);
  return HEADER.test(given) && (!isReserved || isExtension(name));
};

const isValue = (value: unknown): boolean => typeof value === "string" && isPrintable(value);

/** Whether a header can be sent. */
export const isSendable = (name: string, value: unknown): boolean => isName(name) && isValue(value);

const headersOf = (headers: NewMessage["headers"]): Event["headers"] => {
  if (headers === undefined) return noHeaders;
  if (!isPlainObject(headers))
    throw badMessage(
      "headers must be an object of names and values; Object.fromEntries creates one of a Map or Headers",
    );
  const own = newHeaders();
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase();
    if (!isName(given))
      throw badMessage(
        `the header "${given.slice(0, 100)}" has an invalid or reserved name; forwardHeaders(message.headers) removes such headers of a received message`,
      );
    if (!isValue(value)) throw badMessage(`the header "${name}" must be a string without control characters`);
    if (name in own) throw badMessage(`two of its headers are named "${name}" ignoring case`);
    own[name] = value;
  }
  return own;
};

/** Creates the error of a message that cannot be sent. */
export const badMessage = (problem: string, cause?: unknown): Error =>
  messagingError("MESSAGING_BAD_MESSAGE", `a message cannot be sent: ${problem}`, cause);
