import type { Json } from "@framework/core/feature";

/** The content of a session. */
export interface SessionEntry {
  /** Id of the user who logged in, `null` for an anonymous session. */
  readonly user: string | null;
  /** Number of the login, by which `destroyAll` ends it; 0 for an anonymous session. */
  readonly login: number;
  /** Start of the absolute lifetime, in Unix milliseconds. */
  readonly createdAt: number;
  /** Last recorded use, in Unix milliseconds. */
  readonly seenAt: number;
  readonly data: ReadonlyMap<string, Json>;
}

/** Maximum lifetimes of a session, in milliseconds. */
export interface Lifetimes {
  readonly idleMs: number;
  readonly absoluteMs: number;
}

/** Returns an entry as JSON, with the data as pairs: an object would lose the name `__proto__`. */
export const toJson = ({ user, login, createdAt, seenAt, data }: SessionEntry): Json => [
  user,
  login,
  createdAt,
  seenAt,
  [...data],
];

/** The part of a session that counts towards its size limit. */
export type SessionContent = Pick<SessionEntry, "user" | "data">;

/** Returns the size of a content as JSON, in bytes. */
export const bytesOf = ({ user, data }: SessionContent): number =>
  Buffer.byteLength(JSON.stringify([user, [...data]]));

/** Parses the result of `toJson`; `null` for anything else. */
export const fromJson = (json: unknown): SessionEntry | null => {
  if (!Array.isArray(json)) return null;
  const [user, login, createdAt, seenAt, pairs] = json as readonly unknown[];
  const isUser = user === null || typeof user === "string";
  const areNumbers = [login, createdAt, seenAt].every(Number.isFinite);
  if (!isUser || !areNumbers || !Array.isArray(pairs)) return null;
  return {
    user,
    login: login as number,
    createdAt: createdAt as number,
    seenAt: seenAt as number,
    data: new Map(pairs as readonly (readonly [string, Json])[]), // written by `toJson` only: stores and sealed cookies are trusted
  };
};

/** Returns the remaining lifetime of a session in milliseconds, 0 or less for an expired one. */
export const remainingMs = ({ createdAt, seenAt }: SessionEntry, lifetimes: Lifetimes, now: number): number =>
  Math.min(createdAt + lifetimes.absoluteMs, seenAt + lifetimes.idleMs) - now;
