import type { HttpRequest, Response } from "@framework/core";
import { canonicalise } from "@framework/core/feature";

/** Returns the canonical paths of `Location` and `Content-Location` in the reply to a write, if they have the same origin (RFC 9111 4.4). */
export const namedPaths = ({ headers }: Response, { url }: Pick<HttpRequest, "url">): readonly string[] =>
  [headers.get("location"), headers.get("content-location")]
    .filter((reference) => reference !== null)
    .map((reference) => pathOf(reference, url))
    .filter((path) => path !== null);

const pathOf = (reference: string, base: string): string | null => {
  const target = URL.parse(reference, base);
  if (target === null || target.origin !== URL.parse(base)?.origin) return null;
  try {
    return canonicalise(target.pathname).path;
  } catch {
    return null; // no request can have this path, so no reply of it is stored
  }
};
