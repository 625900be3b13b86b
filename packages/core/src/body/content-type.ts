import { UnsupportedMediaTypeError, ValueError } from "../errors/http-errors.ts";
import { excerpt } from "../http/excerpt.ts";
import { type MediaType, parseMediaType } from "../http/media-type.ts";

/** What the values seen lately mean; begun anew when it is full, so that odd ones cost the others no more than another look. */
const known = new Map<string, MediaType>();
const MAX_KNOWN = 100;
const MAX_KNOWN_LENGTH = 100;

/**
 * Parses a `Content-Type` field strictly (RFC 9110 8.3); `null` for an absent one.
 *
 * @throws ValueError 400 for anything outside the grammar, and for a parameter given twice
 */
export const parseContentType = (value: string | null): MediaType | null =>
  value === null ? null : (known.get(value) ?? newType(value));

const newType = (value: string): MediaType => {
  const type = parseMediaType(value);
  if (type === null) throw malformed(value);
  if (type.boundary !== null || value.length > MAX_KNOWN_LENGTH) return type; // each form has a boundary of its own
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(value, type);
  return type;
};

const malformed = (value: string): ValueError =>
  new ValueError(`The Content-Type ${excerpt(value)} is malformed`);

/**
 * Passes a type that says UTF-8, its subset US-ASCII, or nothing about its charset.
 *
 * @throws UnsupportedMediaTypeError 415 for another charset
 */
export const requireUtf8 = (type: MediaType | null): void => {
  const charset = type?.charset ?? null;
  if (charset === null || charset === "utf-8" || charset === "utf8" || charset === "us-ascii") return;
  throw new UnsupportedMediaTypeError(`The charset ${excerpt(charset)} is not supported; send UTF-8`);
};
