import { UnsupportedMediaTypeError, ValueError } from "../errors/http-errors.ts";
import { isToken } from "../response/header-rules.ts";
import { excerpt } from "./excerpt.ts";
import { parseParameter, splitOutsideQuotes, trimBlanks, trimBlanksEnd } from "./field-grammar.ts";

/** A `Content-Type` field, parsed once for everybody who decides on it. */
export interface MediaType {
  /** Type and subtype in lower case: `application/json`. */
  readonly type: string;
  /** Parameters by lower-case name, quotes taken off. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The charset in lower case. */
  readonly charset: string | null;
  readonly boundary: string | null;
}

const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();

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
  const type = parse(value);
  if (type.boundary !== null || value.length > MAX_KNOWN_LENGTH) return type; // each form has a boundary of its own
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(value, type);
  return type;
};

const parse = (value: string): MediaType => {
  const [head = "", ...rest] = splitOutsideQuotes(value, ";");
  const type = rest.length === 0 ? head : trimBlanksEnd(head);
  const slash = type.indexOf("/");
  if (!isToken(type.slice(0, Math.max(slash, 0))) || !isToken(type.slice(slash + 1))) throw malformed(value);
  const parameters = rest.length === 0 ? NO_PARAMETERS : parseParameters(rest, value);
  return {
    type: type.toLowerCase(),
    parameters,
    charset: parameters.get("charset")?.toLowerCase() ?? null,
    boundary: parameters.get("boundary") ?? null,
  };
};

const parseParameters = (texts: readonly string[], value: string): ReadonlyMap<string, string> => {
  const parameters = new Map<string, string>();
  for (const text of texts) {
    const trimmed = trimBlanks(text);
    if (trimmed === "") continue; // the grammar allows `type;` and `type; ; a=b`
    const parameter = parseParameter(trimmed);
    if (parameter === null || parameters.has(parameter[0])) throw malformed(value);
    parameters.set(...parameter);
  }
  return parameters;
};

const malformed = (value: string): ValueError =>
  new ValueError(`The Content-Type ${excerpt(value)} is malformed`);

/** Whether a body of this type is JSON: `application/json` or any type that ends in `+json`. */
export const isJsonType = (type: MediaType | null): boolean =>
  type !== null && (type.type === "application/json" || type.type.endsWith("+json"));

/** Whether a body of this type is `application/x-www-form-urlencoded`. */
export const isFormType = (type: MediaType | null): boolean =>
  type?.type === "application/x-www-form-urlencoded";

/** Whether a body of this type is `multipart/form-data`. */
export const isMultipartType = (type: MediaType | null): boolean => type?.type === "multipart/form-data";

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
