import { addVary, type Payload } from "@framework/core/feature";
import type { Response } from "@framework/core";
import type { StoredReply } from "../store/cache-store.ts";
import type { ReplyFacts } from "./reply-facts.ts";
import type { Lifetime } from "./storing-rules.ts";

/** What a reply is stored as: its status, body and lines. */
export interface Content {
  readonly status: number;
  readonly fields: readonly string[];
  readonly body: string | Uint8Array | null;
  readonly bodyBytes: number;
}

/** Fields of one connection or one answer (RFC 9111 3.1), and what this cache writes anew each time. */
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

/** Fields of a 304 that say nothing about the stored body (RFC 9111 3.2). */
const unfreshened: ReadonlySet<string> = new Set([
  ...unstored,
  "content-encoding",
  "content-range",
  "content-type",
]);

/** Whether a body is all in memory: a stream is sent once and cannot be kept. */
export const isWhole = (payload: Payload): payload is string | Uint8Array | null =>
  payload === null || typeof payload === "string" || payload instanceof Uint8Array;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * A copy of a body: the handler may go on writing into its bytes, and a string may be a small part of a large one, which would stay in memory with it.
 */
export const keptBody = (payload: string | Uint8Array | null): string | Uint8Array | null =>
  typeof payload === "string"
    ? decoder.decode(encoder.encode(payload))
    : payload === null
      ? null
      : new Uint8Array(payload);

/** The lines of a reply that may be stored. */
export const storedFields = (fields: readonly string[], { connection }: ReplyFacts): readonly string[] => {
  const kept: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] ?? "";
    if (!unstored.has(name) && !connection.includes(name)) kept.push(name, fields[at + 1] ?? "");
  }
  return copied(kept);
};

/** One string that all of them are parts of, so that none keeps another alive; no line holds a line end. */
const copied = (lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? lines : lines.join("\n").split("\n");

/** The lines of a stored reply after a 304: each field that the 304 has takes the place of the stored one (RFC 9111 4.3.4). */
export const freshenedFields = (
  stored: readonly string[],
  fresh: readonly string[],
  { connection }: ReplyFacts,
): readonly string[] => {
  const updates: string[] = [];
  for (let at = 0; at + 1 < fresh.length; at += 2) {
    const name = fresh[at] ?? "";
    if (!unfreshened.has(name) && !connection.includes(name)) updates.push(name, fresh[at + 1] ?? "");
  }
  const names = new Set(updates.filter((_, at) => at % 2 === 0));
  const kept = stored.filter((_, at) => !names.has(stored[at - (at % 2)] ?? ""));
  return copied([...kept, ...updates]);
};

/** Says how long other caches may keep a reply that does not say so itself, and on which request fields it depends beyond its own `Vary`. */
export const announce = (
  response: Response,
  { isSilent, freshMs }: Lifetime,
  vary: readonly string[],
): void => {
  if (vary.length > 0) addVary(response.headers, ...vary);
  if (!isSilent) return;
  const own = response.headers.get("cache-control");
  const maxAge = `max-age=${Math.floor(freshMs / 1000)}`;
  response.headers.set("cache-control", own === null ? maxAge : `${own}, ${maxAge}`);
};

let lastId = 0;
let processId: string | undefined;

/** A stored reply. */
export const toStoredReply = (content: Content, lifetime: Lifetime, tags: readonly string[]): StoredReply => {
  const { bornMs, freshMs, staleMs, errorMs, validates, shareable } = lifetime;
  const times = { bornMs, freshMs, staleMs, errorMs, validates, shareable };
  return { kind: "reply", id: newId(), ...content, ...times, tags };
};

/** An id that no other entry has, in any process. */
export const newId = (): string => {
  processId ??= crypto.randomUUID();
  return `${processId}-${++lastId}`;
};
