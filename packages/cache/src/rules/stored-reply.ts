import { hash } from "node:crypto";
import { addVary, type Payload, payloadLength } from "@framework/core/feature";
import { formatHttpDate } from "@framework/core/http";
import type { Response } from "@framework/core";
import type { StoredReply } from "../store/cache-store.ts";
import type { ReplyFacts } from "./reply-facts.ts";
import type { Lifetime } from "./storing-rules.ts";

/** The content of a stored reply: status, header fields and body. */
export interface Content {
  readonly status: number;
  readonly fields: readonly string[];
  readonly body: string | Uint8Array | null;
  readonly bodyBytes: number;
  /** Whether the cache created the `ETag`. */
  readonly hasOwnTag: boolean;
}

/** Fields that are not stored: connection and proxy fields (RFC 9111 3.1), `Set-Cookie`, and fields that this cache generates or consumes. */
const unstored: ReadonlySet<string> = new Set([
  "age",
  "cache-status",
  "connection",
  "content-length",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "proxy-connection",
  "set-cookie",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-cache",
  "x-cache-tags",
  "x-cache-ttl",
]);

/** Stored fields that a 304 does not update (RFC 9111 3.2). */
const keptOnUpdate: ReadonlySet<string> = new Set([
  ...unstored,
  "content-encoding",
  "content-range",
  "content-type",
]);

/** Whether a body is in memory; a stream can be read only once. */
export const isWhole = (payload: Payload): payload is string | Uint8Array | null =>
  payload === null || typeof payload === "string" || payload instanceof Uint8Array;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Copies a body: the handler may reuse its buffer, and a string may be a slice that keeps a large parent string alive.
 */
export const copyBody = (payload: string | Uint8Array | null): string | Uint8Array | null =>
  typeof payload === "string"
    ? decoder.decode(encoder.encode(payload))
    : payload === null
      ? null
      : new Uint8Array(payload);

/** Returns the fields of a reply that may be stored. */
export const storedFields = (fields: readonly string[], { connection }: ReplyFacts): readonly string[] => {
  const storable: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] ?? "";
    if (!unstored.has(name) && !connection.includes(name)) storable.push(name, fields[at + 1] ?? "");
  }
  return copyStrings(storable);
};

/** Copies strings into slices of one new string, so that none keeps a larger parent alive; a field never contains a line feed. */
const copyStrings = (lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? lines : lines.join("\n").split("\n");

/** Returns stored fields updated by a 304: its fields replace the stored ones of the same name (RFC 9111 4.3.4). */
export const freshenedFields = (
  stored: readonly string[],
  fresh: readonly string[],
  { connection, date }: ReplyFacts,
  wallMs: number,
): readonly string[] => {
  const updates: string[] = date === null ? ["date", formatHttpDate(wallMs)] : [];
  for (let at = 0; at + 1 < fresh.length; at += 2) {
    const name = fresh[at] ?? "";
    if (name === "date" && date === null) continue; // malformed
    if (!keptOnUpdate.has(name) && !connection.includes(name)) updates.push(name, fresh[at + 1] ?? "");
  }
  const names = new Set(updates.filter((_, at) => at % 2 === 0));
  const unchanged = stored.filter((_, at) => !names.has(stored[at - (at % 2)] ?? ""));
  return copyStrings([...unchanged, ...updates]);
};

/** Adds `Date` (RFC 9110 6.6.1), `Age`, `ETag` and the route's `vary` to a reply before it is stored. Returns whether the cache created the `ETag`. */
export const complete = (
  response: Response,
  facts: ReplyFacts,
  ages: { readonly wallMs: number; readonly ageSecs: number },
  vary: readonly string[],
): boolean => {
  const { headers, payload } = response;
  if (vary.length > 0) addVary(headers, ...vary);
  if (facts.date === null) headers.set("date", formatHttpDate(ages.wallMs));
  if (ages.ageSecs > 0) headers.set("age", String(ages.ageSecs));
  if (headers.has("etag") || !isWhole(payload) || payload === null) return false;
  headers.set("etag", contentTag(payload));
  return true;
};

/** Returns a strong entity tag: length and 16 digits of the SHA-256, both in hexadecimal. Equal to the tag of `@framework/etag`. */
const contentTag = (body: string | Uint8Array): string =>
  `"${(payloadLength(body) ?? 0).toString(16)}-${hash("sha256", body, "hex").slice(0, 16)}"`;

let lastId = 0;
let processId: string | undefined;

/** Creates a stored reply. */
export const toStoredReply = (content: Content, lifetime: Lifetime, tags: readonly string[]): StoredReply => {
  const { bornMs, freshMs, staleMs, errorMs, validates, shareable, isImplicit, ttlSecs } = lifetime;
  const times = { bornMs, freshMs, staleMs, errorMs, validates, shareable, isImplicit };
  const own = ttlSecs === null ? {} : { ttlSecs };
  return { kind: "reply", id: newId(), ...content, ...times, ...own, tags };
};

/** Returns an id that is unique across processes. */
export const newId = (): string => {
  processId ??= crypto.randomUUID();
  return `${processId}-${++lastId}`;
};
