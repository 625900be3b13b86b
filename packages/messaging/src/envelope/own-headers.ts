import type { WireHeaders } from "../port/delivery.ts";

/** Prefix of headers that messaging sets; programs cannot. */
export const OWN_PREFIX = "framework-";

/** Tries made before, of a message in a retry topic. */
export const TRIES = "framework-tries";
/** Earliest delivery of a message in a retry topic, or one that the broker cannot delay: milliseconds since 1970. */
export const NOT_BEFORE = "framework-not-before";
/** The message is worth nothing after this: milliseconds since 1970. */
export const EXPIRES = "framework-expires";
/** The only group that the message is for: a retry or a replay. */
export const GROUP = "framework-group";
/** Topic of the reply. */
export const REPLY_TO = "framework-reply-to";
/** Id of the request that a message replies to. */
export const REPLY_OF = "framework-reply-of";
/** Why a request failed, in place of data. */
export const REPLY_ERROR = "framework-reply-error";
/** Of a dead letter: class, message and code of the last error, tries, times, topic; of one that the broker refused whole, what is left out, and the place of its message. */
export const deadHeaders = {
  error: "framework-dead-error",
  message: "framework-dead-message",
  code: "framework-dead-code",
  tries: "framework-dead-tries",
  firstAt: "framework-dead-first-at",
  lastAt: "framework-dead-last-at",
  topic: "framework-dead-topic",
  group: "framework-dead-group",
  leftOut: "framework-dead-left-out",
  place: "framework-dead-place",
} as const;

/** A whole number in a header; `null` when it is absent or no number. */
export const numberIn = (headers: WireHeaders, name: string): number | null => {
  const value = headers[name];
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : null;
};

/** Whether headers are larger than a limit: names and values as UTF-8. Headers that cannot be are not measured. */
export const areLargerThan = (headers: WireHeaders, limit: number): boolean =>
  headerLength(headers) * 3 > limit && headerBytes(headers) > limit;

/** Characters of headers: names and values. */
export const headerLength = (headers: WireHeaders): number => {
  let length = 0;
  for (const name in headers) length += name.length + (headers[name]?.length ?? 0);
  return length;
};

/** Bytes of headers: names and values as UTF-8. */
export const headerBytes = (headers: WireHeaders): number => {
  let bytes = 0;
  for (const name in headers) bytes += name.length + Buffer.byteLength(headers[name] ?? "");
  return bytes;
};
