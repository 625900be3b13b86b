import { UnsupportedMediaTypeError, ValueError } from "../errors/http-errors.ts";
import { excerpt } from "../http/excerpt.ts";
import { type MediaType, parseMediaType } from "../http/media-type.ts";

/** Cache of parsed values, shared by all apps because the result depends on the text alone. Cleared when full, so that common values are cached again. */
const parsed = new Map<string, MediaType>();
const MAX_PARSED = 100;
const MAX_PARSED_LENGTH = 100;

/**
 * Parses a `Content-Type` field strictly (RFC 9110 8.3); `null` for an absent one.
 *
 * @throws ValueError 400 for a malformed field, and for a repeated parameter
 */
export const parseContentType = (value: string | null): MediaType | null =>
  value === null ? null : (parsed.get(value) ?? parse(value));

const parse = (value: string): MediaType => {
  const type = parseMediaType(value);
  if (type === null) throw malformed(value);
  if (type.boundary !== null || value.length > MAX_PARSED_LENGTH) return type; // each form has a unique boundary
  if (parsed.size >= MAX_PARSED) parsed.clear();
  parsed.set(value, type);
  return type;
};

const malformed = (value: string): ValueError =>
  new ValueError(`The Content-Type ${excerpt(value)} is malformed`);

/**
 * Accepts a type whose charset is UTF-8, its subset US-ASCII, or absent.
 *
 * @throws UnsupportedMediaTypeError 415 for another charset
 */
export const requireUtf8 = (type: MediaType | null): void => {
  const charset = type?.charset ?? null;
  if (charset === null || charset === "utf-8" || charset === "utf8" || charset === "us-ascii") return;
  throw new UnsupportedMediaTypeError(`The charset ${excerpt(charset)} is not supported; send UTF-8`);
};
