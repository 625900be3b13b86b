import type { ResponseHeaders } from "./response-headers.ts";

/**
 * Adds names that a reply's `Vary` (RFC 9110 12.5.5) does not list yet, compared case-insensitively; `*` replaces all others.
 *
 * @param names field names in the spelling to send, such as `Origin`
 */
export const addVary = (headers: ResponseHeaders, ...names: readonly string[]): void => {
  const present = headers.get("vary");
  if (present === null) {
    const [only = ""] = names;
    headers.set("vary", names.length === 1 ? only : names.includes("*") ? "*" : distinct(names).join(", "));
    return;
  }
  const known = present.split(",").map((name) => name.trim().toLowerCase());
  if (known.includes("*")) return;
  if (names.includes("*")) {
    headers.set("vary", "*");
    return;
  }
  const added = distinct(names).filter((name) => !known.includes(name.toLowerCase()));
  if (added.length > 0) headers.set("vary", [present, ...added].join(", "));
};

/** Omits repeated names: several authentications may read one field. */
const distinct = (names: readonly string[]): readonly string[] => {
  const lower = names.map((name) => name.toLowerCase());
  return names.filter((_, index) => lower.indexOf(lower[index] ?? "") === index);
};
