import { createHash } from "node:crypto";
import { fromJson, type Lives, restOf, type SessionEntry, toJson } from "./session-entry.ts";
import type { CookieSeal } from "./signed/cookie-seal.ts";
import type { SessionStore } from "./store/session-store.ts";

/** A session that a request brought. */
export interface Found {
  readonly id: string;
  /** Version in the store; always 1 in the cookie. */
  readonly version: number;
  readonly entry: SessionEntry;
}

/** Where the contents of sessions are kept: in a store, or in the cookie. */
export interface SessionForm {
  /** Most bytes of the user and the data, as `bytesOf` counts them. */
  readonly maxBytes: number;
  /** Whether the cookie contains the content, so that each change needs a new one. */
  readonly isInCookie: boolean;
  /** Returns the id that a cookie names, without a look at the store; `null` for a cookie of another form. */
  idOf(cookie: string): string | null;
  /** Reads the session of a cookie; `"ended"` for one that another request has just ended. */
  read(cookie: string): Promise<Found | "ended" | null>;
  /**
   * Writes a content. Returns the value of the cookie; `null` when another request has changed or ended the session since it was read.
   *
   * @param version that of the session that was read, 0 for a new id
   */
  write(id: string, version: number, entry: SessionEntry, ttlMs: number): Promise<string | null>;
  /** Ends an id. Returns whether this call ended it. */
  end(id: string): Promise<boolean>;
  /** Ends the id of a session. Returns whether this call ended it: `false` when another request has ended the session, or changed it since it was read. */
  endAsFound(found: Found): Promise<boolean>;
}

/** 256 random bits as base64url. */
const ID = /^[\w-]{43}$/;
/** With the id, the times and a name of 57 characters, the `Set-Cookie` line then has at most 4,096 bytes, which is what browsers keep. */
const MAX_COOKIE_CONTENT = 2800;
/** Requests in flight may still use an id that has ended. */
const ENDED_MS = 300_000;

/** Sessions in a store, under the digest of their id: a copy of the store has no id that a cookie could use. */
export const storedForm = (store: SessionStore, lives: Lives, now: () => number): SessionForm => ({
  maxBytes: 32_768,
  isInCookie: false,
  idOf: (id) => (ID.test(id) ? id : null),
  async read(id) {
    if (!ID.test(id)) return null;
    const stored = await store.read(digestOf(id));
    if (stored === null || stored === "ended") return stored;
    const entry = fromJson(stored.content);
    if (entry === null || restOf(entry, lives, now()) <= 0) return null;
    return { id, version: stored.version, entry };
  },
  write: async (id, version, entry, ttlMs) =>
    (await store.write(digestOf(id), toJson(entry), { version, ttlMs })) ? id : null,
  end: async (id) => store.end(digestOf(id), ENDED_MS),
  endAsFound: async ({ id, version }) => store.end(digestOf(id), ENDED_MS, version),
});

/** Sessions in a sealed cookie; the store knows only the ids that have ended, for as long as their cookies could be used. */
export const sealedForm = (
  seal: CookieSeal,
  store: SessionStore,
  lives: Lives,
  now: () => number,
): SessionForm => {
  // A cookie that was sealed just before the end is used up after the idle life. Clocks of hosts may differ by as much, and by five minutes in any case.
  const endedMs = Math.min(lives.absoluteMs, lives.idleMs + Math.max(lives.idleMs, ENDED_MS));
  const hasEnded = async (id: string): Promise<boolean> => (await store.read(digestOf(id))) === "ended";
  return {
    maxBytes: MAX_COOKIE_CONTENT,
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
      if (entry === null || restOf(entry, lives, now()) <= 0) return null;
      return (await hasEnded(id)) ? "ended" : { id, version: 1, entry };
    },
    async write(id, version, entry) {
      // The cookie of an ended id would replace that of the session that goes on.
      if (version > 0 && (await hasEnded(id))) return null;
      return seal.seal(JSON.stringify([id, toJson(entry)]));
    },
    end: async (id) => store.end(digestOf(id), endedMs),
    endAsFound: async ({ id }) => store.end(digestOf(id), endedMs),
  };
};

/** The key of an id in the store. */
const digestOf = (id: string): string => createHash("sha256").update(id).digest("base64url");
