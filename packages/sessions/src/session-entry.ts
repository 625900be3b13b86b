import type { Json } from "@framework/core/feature";

/** The content of a session. */
export interface SessionEntry {
  /** Id of the user who logged in, `null` for an anonymous session. */
  readonly user: string | null;
  /** Number of the login, by which `destroyAll` ends it; 0 for an anonymous session. */
  readonly login: number;
  /** Begin of the absolute life, in milliseconds since 1970. */
  readonly createdAt: number;
  /** Last use that was recorded, in milliseconds since 1970. */
  readonly seenAt: number;
  readonly data: ReadonlyMap<string, Json>;
}

/** Bounds of the lives of sessions, in milliseconds. */
export interface Lives {
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

/** What counts against the limit of a session. */
export type SessionContent = Pick<SessionEntry, "user" | "data">;

/** Bytes of a content as JSON. */
export const bytesOf = ({ user, data }: SessionContent): number =>
  Buffer.byteLength(JSON.stringify([user, [...data]]));

/** Reads what `toJson` wrote; `null` for anything else. */
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
    data: new Map(pairs as readonly (readonly [string, Json])[]), // written by `toJson` only: stores and seals are ours
  };
};

/** Milliseconds that a session may live from now on, 0 or less for one that has ended. */
export const restOf = ({ createdAt, seenAt }: SessionEntry, lives: Lives, now: number): number =>
  Math.min(createdAt + lives.absoluteMs, seenAt + lives.idleMs) - now;
