import type { HttpRequest } from "@framework/core";
import { variantKeyBy } from "./cache-key.ts";

/** Values that are not respelled: quoted strings, and characters outside ASCII, since `trim` removes non-ASCII spaces. */
const UNUSUAL = /"|[^\t -~]/;
/** Fields with opaque values: commas in them need not be separators. */
const opaque: ReadonlySet<string> = new Set(["authorization", "cookie"]);

/**
 * Returns the keys of the variants for requests with equivalent fields in another spelling (RFC 9111 4.1): lists with and without spaces, and languages in
 * the usual case, as in `en,zh-Hant-TW`.
 *
 * Replies are stored under the spelling that the handler received; only lookups use other spellings. So a handler that misreads an unusual spelling does not affect
 * clients that send a usual one.
 */
export const equalVariantKeys = (
  key: string,
  names: readonly string[],
  request: HttpRequest,
): readonly string[] => {
  const own = variantKeyBy(key, names, (name) => request.getHeader(name));
  const keys = [",", ", "].map((separator) =>
    variantKeyBy(key, names, (name) => respell(name, request.getHeader(name), separator)),
  );
  return [...new Set(keys)].filter((other) => other !== own);
};

/** Returns a value with another separator: an unquoted comma separates list members in any field, and spaces around it have no meaning (RFC 9110 5.5, 5.6.1). */
const respell = (name: string, value: string | null, separator: string): string | null => {
  if (value === null || UNUSUAL.test(value) || opaque.has(name)) return value;
  const members = value
    .split(",")
    .map((member) => member.trim())
    .filter((member) => member !== "");
  return (name === "accept-language" ? members.map(usualLanguage) : members).join(separator);
};

/** Returns an element of Accept-Language in the usual case: `en`, `en-US`, `zh-Hant` (RFC 5646 2.1.1). */
const usualLanguage = (element: string): string => {
  const [range = "", ...parameters] = element
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const [language = "", ...subtags] = range.split("-");
  const tag = [language, ...subtags.map(usualSubtag)].join("-");
  return [tag, ...parameters].join(";");
};

const usualSubtag = (subtag: string): string => {
  if (subtag.length === 2) return subtag.toUpperCase();
  return subtag.length === 4 ? `${subtag.slice(0, 1).toUpperCase()}${subtag.slice(1)}` : subtag;
};
