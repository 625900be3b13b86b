import { createHash } from "node:crypto";

/** Longest short string of AMQP 0-9-1, in bytes: names, and the properties of a message. */
const MAX_BYTES = 255;
/** Every text of so many UTF-16 units fits: each has at most three bytes. */
const MAX_UNITS = 85;

export const isShort = (text: string): boolean =>
  text.length <= MAX_UNITS || Buffer.byteLength(text) <= MAX_BYTES;

/** Returns a text itself, or its hash if it is too long. */
export const shortened = (text: string): string =>
  isShort(text) ? text : createHash("sha256").update(text).digest("hex");
