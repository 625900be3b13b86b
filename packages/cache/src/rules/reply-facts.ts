import { isEntityTag, parseHttpDate } from "@framework/core/http";
import { type Directives, parseCacheControl, wholeSeconds } from "@framework/core/http";

/** Parsed header fields of a reply that are relevant to a cache. */
export interface ReplyFacts {
  readonly directives: Directives;
  /** Unix milliseconds; `"malformed"` also for a repeated field. */
  readonly expires: number | "malformed" | null;
  readonly date: number | null;
  readonly ageSecs: number;
  /** Lower-case names of `Vary`. */
  readonly vary: readonly string[];
  readonly setsCookies: boolean;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Lower-case names of `Connection`. */
  readonly connection: readonly string[];
  /** `X-Cache-TTL` in seconds; `null` if absent. */
  readonly ttlSecs: number | "malformed" | null;
  /** `X-Cache-Tags`. */
  readonly tags: readonly string[];
}

/** The fields that are parsed. Any other field costs one set lookup. */
type FactField =
  | "age"
  | "cache-control"
  | "connection"
  | "date"
  | "etag"
  | "expires"
  | "last-modified"
  | "set-cookie"
  | "vary"
  | "x-cache-tags"
  | "x-cache-ttl";

const factFields: ReadonlySet<string> = new Set<FactField>([
  "age",
  "cache-control",
  "connection",
  "date",
  "etag",
  "expires",
  "last-modified",
  "set-cookie",
  "vary",
  "x-cache-tags",
  "x-cache-ttl",
]);

/** Parses a flat list of fields with lower-case names. */
export const factsOf = (fields: readonly string[]): ReplyFacts => {
  const found: Partial<Record<FactField, string>> = {};
  let repeatedExpires = false;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] ?? "";
    if (!factFields.has(name)) continue;
    const present = found[name as FactField];
    if (name === "expires" && present !== undefined) repeatedExpires = true;
    found[name as FactField] =
      present === undefined ? (fields[at + 1] ?? "") : `${present}, ${fields[at + 1]}`;
  }
  return {
    directives: parseCacheControl(found["cache-control"] ?? null),
    expires: repeatedExpires ? "malformed" : expiry(found.expires),
    date: found.date === undefined ? null : parseHttpDate(found.date),
    ageSecs: wholeSeconds((found.age ?? "").split(",")[0]?.trim() ?? "") ?? 0,
    vary: listOf(found.vary).map((name) => name.toLowerCase()),
    setsCookies: found["set-cookie"] !== undefined,
    etag: found.etag !== undefined && isEntityTag(found.etag) ? found.etag : null,
    lastModified: found["last-modified"] ?? null,
    connection: listOf(found.connection).map((name) => name.toLowerCase()),
    ttlSecs: found["x-cache-ttl"] === undefined ? null : (wholeSeconds(found["x-cache-ttl"]) ?? "malformed"),
    tags: listOf(found["x-cache-tags"]),
  };
};

const expiry = (text: string | undefined): number | "malformed" | null =>
  text === undefined ? null : (parseHttpDate(text) ?? parseHttpDate(inDateCase(text)) ?? "malformed");

/** Returns a date with its names in the case of HTTP dates, because caches accept any case (RFC 9111 4.2). */
const inDateCase = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[a-z]+/g, (name) =>
      name === "gmt" ? "GMT" : `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
    );

const empty: readonly string[] = [];

/** Returns the non-empty elements of a comma-separated list. */
export const listOf = (text: string | undefined): readonly string[] =>
  text === undefined
    ? empty
    : text
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== "");
