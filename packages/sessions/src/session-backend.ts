import { createHash } from "node:crypto";
import { fromJson, type Lifetimes, remainingMs, type SessionEntry, toJson } from "./session-entry.ts";
import type { CookieSeal } from "./signed/cookie-seal.ts";
import type { SessionStore } from "./store/session-store.ts";

/** The session of a request's cookie. */
export interface FoundSession {
  readonly id: string;
  /** Version in the store; always 1 in the cookie. */
  readonly version: number;
  readonly entry: SessionEntry;
}

/** Stores the contents of sessions, in a store or in the cookie. */
export interface SessionBackend {
  /** Maximum size of the user and the data in bytes, as counted by `bytesOf`. */
  readonly maxBytes: number;
  /** Whether the cookie contains the content, so that each change needs a new one. */
  readonly isInCookie: boolean;
  /** Returns the id in a cookie, without a lookup in the store; `null` for a malformed cookie. */
  idOf(cookie: string): string | null;
  /** Reads the session of a cookie; `"ended"` if another request has ended it recently. */
  read(cookie: string): Promise<FoundSession | "ended" | null>;
  /**
   * Writes the content. Returns the value of the cookie; `null` if another request has changed or ended the session since it was read.
   *
   * @param version version of the session that was read, 0 for a new id
   */
  write(id: string, version: number, entry: SessionEntry, ttlMs: number): Promise<string | null>;
  /** Ends an id. Returns whether this call ended it. */
  end(id: string): Promise<boolean>;
  /** Ends the id of a session. Returns whether this call ended it: `false` if another request has ended or changed the session since it was read. */
  endIfUnchanged(found: FoundSession): Promise<boolean>;
}

/** 256 random bits as base64url. */
const ID = /^[\w-]{43}$/;
/** With the id, the times and a name of 57 characters, `Set-Cookie` then has at most 4,096 bytes, the limit of browsers. */
const MAX_COOKIE_CONTENT_BYTES = 2800;
/** Milliseconds for which an ended id is remembered, for requests in flight that still use it. */
const ENDED_MS = 300_000;

/** Stores sessions in a store, under the digest of their id: a copy of the store contains no usable id. */
export const storeBackend = (
  store: SessionStore,
  lifetimes: Lifetimes,
  now: () => number,
): SessionBackend => ({
  maxBytes: 32_768,
  isInCookie: false,
  idOf: (id) => (ID.test(id) ? id : null),
  async read(id) {
    if (!ID.test(id)) return null;
    const stored = await store.read(digestOf(id));
    if (stored === null || stored === "ended") return stored;
    const entry = fromJson(stored.content);
    if (entry === null || remainingMs(entry, lifetimes, now()) <= 0) return null;
    return { id, version: stored.version, entry };
  },
  write: async (id, version, entry, ttlMs) =>
    (await store.write(digestOf(id), toJson(entry), { version, ttlMs })) ? id : null,
  end: async (id) => store.end(digestOf(id), ENDED_MS),
  endIfUnchanged: async ({ id, version }) => store.end(digestOf(id), ENDED_MS, version),
});

/** Stores sessions in a sealed cookie; of the sessions, the store has only the ended ids, until their cookies have expired. */
export const cookieBackend = (
  seal: CookieSeal,
  store: SessionStore,
  lifetimes: Lifetimes,
  now: () => number,
): SessionBackend => {
  // A cookie sealed just before the end expires after the idle lifetime. Clocks of hosts may differ by the idle lifetime, at least by five minutes.
  const endedMs = Math.min(lifetimes.absoluteMs, lifetimes.idleMs + Math.max(lifetimes.idleMs, ENDED_MS));
  const hasEnded = async (id: string): Promise<boolean> => (await store.read(digestOf(id))) === "ended";
  return {
    maxBytes: MAX_COOKIE_CONTENT_BYTES,
    isInCookie: true,
    idOf(cookie) {
      const content = seal.open(cookie);
      return content === null ? null : (JSON.parse(content) as [string, unknown])[0]; // sealed, so written by `write`
    },
    async read(cookie) {
      const content = seal.open(cookie);
      if (content === null) return null;
      const [id, json] = JSON.parse(content) as [string, unknown]; // sealed, so written by `write`
      const entry = fromJson(json);
      if (entry === null || remainingMs(entry, lifetimes, now()) <= 0) return null;
      return (await hasEnded(id)) ? "ended" : { id, version: 1, entry };
    },
    async write(id, version, entry) {
      // The cookie of an ended id would replace that of the session that continues.
      if (version > 0 && (await hasEnded(id))) return null;
      return seal.seal(JSON.stringify([id, toJson(entry)]));
    },
    end: async (id) => store.end(digestOf(id), endedMs),
    endIfUnchanged: async ({ id }) => store.end(digestOf(id), endedMs),
  };
};

/** Returns the key of an id in the store. */
const digestOf = (id: string): string => createHash("sha256").update(id).digest("base64url");
