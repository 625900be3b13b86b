import { randomBytes } from "node:crypto";

/**
 * Masks a string with random bits, differently each time, as base64url of pad and masked string: the length of a compressed page that reflects input
 * then leaks nothing about the string (BREACH).
 */
export const mask = (text: string): string => {
  const { length } = text;
  const bytes = Buffer.allocUnsafe(2 * length);
  randomBytes(length).copy(bytes);
  for (let at = 0; at < length; at++) bytes[length + at] = (bytes[at] ?? 0) ^ text.charCodeAt(at);
  return bytes.toString("base64url");
};

/** Reverses `mask`; `""` for invalid values and for values longer than `maxLength`. */
export const unmask = (value: string, maxLength = 400): string => {
  if (value.length > maxLength) return "";
  const bytes = Buffer.from(value, "base64url");
  if (bytes.length % 2 !== 0 || bytes.toString("base64url") !== value) return "";
  const length = bytes.length / 2;
  for (let at = 0; at < length; at++) bytes[at] = (bytes[at] ?? 0) ^ (bytes[length + at] ?? 0);
  return bytes.toString("latin1", 0, length);
};
