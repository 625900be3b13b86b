import { parseParameter, splitOutsideQuotes, trimBlanks, trimBlanksEnd } from "./field-grammar.ts";
import { isToken } from "./token.ts";

/** A parsed `Content-Type` field. */
export interface MediaType {
  /** Type and subtype in lower case: `application/json`. */
  readonly type: string;
  /** Parameters by lower-case name, without quotes. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The charset in lower case; `null` without one. */
  readonly charset: string | null;
  /** The parameter `boundary`, which multipart types have; `null` without one. */
  readonly boundary: string | null;
}

const noParameters: ReadonlyMap<string, string> = new Map();

/** Parses a `Content-Type` field strictly (RFC 9110 8.3). `null` for a malformed field, and for a repeated parameter. */
export const parseMediaType = (value: string): MediaType | null => {
  const [head = "", ...rest] = splitOutsideQuotes(value, ";");
  const type = rest.length === 0 ? head : trimBlanksEnd(head);
  const slash = type.indexOf("/");
  if (!isToken(type.slice(0, Math.max(slash, 0))) || !isToken(type.slice(slash + 1))) return null;
  const parameters = rest.length === 0 ? noParameters : parseParameters(rest);
  if (parameters === null) return null;
  return {
    type: type.toLowerCase(),
    parameters,
    charset: parameters.get("charset")?.toLowerCase() ?? null,
    boundary: parameters.get("boundary") ?? null,
  };
};

const parseParameters = (texts: readonly string[]): ReadonlyMap<string, string> | null => {
  const parameters = new Map<string, string>();
  for (const text of texts) {
    const trimmed = trimBlanks(text);
    if (trimmed === "") continue; // the grammar allows `type;` and `type; ; a=b`
    const parameter = parseParameter(trimmed);
    if (parameter === null || parameters.has(parameter[0])) return null;
    parameters.set(...parameter);
  }
  return parameters;
};

/** Returns a media type without its parameters, in lower case. The type may be malformed, or a range. */
export const plainType = (type: string): string => (type.split(";", 1)[0] ?? "").trim().toLowerCase();

/** Whether a body of this type is JSON: `application/json` or any type that ends in `+json`. */
export const isJsonType = (type: MediaType | null): boolean =>
  type !== null && (type.type === "application/json" || type.type.endsWith("+json"));

/** Whether a body of this type is `application/x-www-form-urlencoded`. */
export const isFormType = (type: MediaType | null): boolean =>
  type?.type === "application/x-www-form-urlencoded";

/** Whether a body of this type is `multipart/form-data`. */
export const isMultipartType = (type: MediaType | null): boolean => type?.type === "multipart/form-data";
