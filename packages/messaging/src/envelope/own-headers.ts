import type { WireHeaders } from "../port/delivery.ts";

/** Prefix of headers that only messaging may set. */
export const OWN_PREFIX = "framework-";

/** Tries made so far, of a message in a retry topic. */
export const TRIES = "framework-tries";
/** Due time of a message in a retry topic, or of one that the broker cannot delay: Unix milliseconds. */
export const NOT_BEFORE = "framework-not-before";
/** Expiry of the message: Unix milliseconds. */
export const EXPIRES = "framework-expires";
/** The only group that handles the message; set on retries and replays. */
export const GROUP = "framework-group";
/** Id of a raw message, in a retry or a replay: the broker gives the copy another one. */
export const RAW_ID = "framework-raw-id";
/** Topic of the reply. */
export const REPLY_TO = "framework-reply-to";
/** Id of the request that the message replies to. */
export const REPLY_OF = "framework-reply-of";
/** Error code of a failed request; the reply then has no data. */
export const REPLY_ERROR = "framework-reply-error";
/**
 * Headers of a dead letter: class, message and code of the last error, tries, times, topic and group. A reduced dead letter also has the omitted parts and the
 * position of its message.
 */
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

/** Returns the whole number in a header; `null` if it is absent, or not a whole number of at most 15 digits. */
export const numberIn = (headers: WireHeaders, name: string): number | null => {
  const value = headers[name];
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : null;
};

/** Whether the UTF-8 bytes of headers exceed a limit. Counts bytes only if the number of characters does not rule it out. */
export const areLargerThan = (headers: WireHeaders, limit: number): boolean =>
  headerLength(headers) * 3 > limit && headerBytes(headers) > limit;

/** Number of characters in names and values. */
export const headerLength = (headers: WireHeaders): number => {
  let length = 0;
  for (const name in headers) length += name.length + (headers[name]?.length ?? 0);
  return length;
};

/** Number of UTF-8 bytes in names and values. */
export const headerBytes = (headers: WireHeaders): number => {
  let bytes = 0;
  for (const name in headers) bytes += name.length + Buffer.byteLength(headers[name] ?? "");
  return bytes;
};
