import { createHash } from "node:crypto";

/** Maximum bytes of an AMQP 0-9-1 short string, such as names and message properties. */
const MAX_BYTES = 255;
/** UTF-16 units that always fit, with at most three bytes each. */
const MAX_UNITS = 85;

/** Whether a text fits into a short string. */
export const isShort = (text: string): boolean =>
  text.length <= MAX_UNITS || Buffer.byteLength(text) <= MAX_BYTES;

/** Returns a string, or its hash if it is too long. */
export const shorten = (text: string): string =>
  isShort(text) ? text : createHash("sha256").update(text).digest("hex");
