import type { Awaitable, HttpRequest, Query } from "@framework/core";
import { mapAwaitable } from "@framework/core/feature";

/**
 * Returns the key of a request: target URI (RFC 9111 2) with its query in canonical order, `extra`, the caller, and for QUERY its body and content type (RFC 10008 2.7).
 *
 * GET and HEAD share a key. Parts are unambiguous: separated by a character that none contains, or encoded as JSON.
 */
export const keyOf = (
  request: HttpRequest,
  extra: string,
  caller: string | number | null = null,
): Awaitable<string> => {
  const { method, scheme, host, path, query } = request;
  const search = canonicalQuery(query);
  const own = caller === null ? extra : [extra, caller];
  const end = own === "" ? "" : ` ${JSON.stringify(own)}`;
  const target = `${scheme}://${host.toLowerCase()}${path}?${search}${end}`;
  if (method !== "QUERY") return target;
  return mapAwaitable(bodyHash(request), (hash) => `QUERY ${hash} ${target}`);
};

/** Returns the key of a variant by request fields; `names` are lower-case and sorted. */
export const variantKey = (key: string, names: readonly string[], request: HttpRequest): string =>
  names.length === 0 ? key : variantKeyBy(key, names, (name) => request.getHeader(name));

/** Returns the key of a variant by the values of one or more fields. */
export const variantKeyBy = (
  key: string,
  names: readonly string[],
  valueOf: (name: string) => string | null,
): string => `${key} ${JSON.stringify(names.map((name) => [name, valueOf(name)]))}`;

/** A single pair of unreserved characters is canonical. */
const PLAIN_PAIR = /^[\w.~-]+=[\w.~-]*$/;

/** Returns the pairs sorted by decoded name, in normalized encoding; values of the same name keep their order. */
const canonicalQuery = (query: Query): string => {
  const text = query.toString();
  if (text === "" || PLAIN_PAIR.test(text)) return text;
  return [...query.entries()]
    .sort(([one], [other]) => (one < other ? -1 : Number(one > other)))
    .map(([name, value]) => `${escapeText(name)}=${escapeText(value)}`)
    .join("&");
};

const escapeText = (text: string): string => encodeURIComponent(text.toWellFormed());

const bodyHash = async (request: HttpRequest): Promise<string> => {
  const body = new Uint8Array(await request.body());
  const digest = await crypto.subtle.digest("SHA-256", body);
  const type = JSON.stringify(request.getHeader("content-type"));
  return `${hex(new Uint8Array(digest))} ${type}`;
};

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
