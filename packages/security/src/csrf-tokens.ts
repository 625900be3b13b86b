import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { mask, unmask } from "./token-mask.ts";

/** The login of a token, in two parts that become known at different times of a request. */
export interface Login {
  /** Known before authentication: the id of a session. */
  readonly session: string | null;
  /** Known after authentication: the name of the caller. */
  readonly caller: string | null;
}

/** Tokens of one key: `seed.issued.caller.signature`, masked, in characters that need no escaping in cookies, fields and forms. */
export interface CsrfTokens {
  /** Creates a token for a login, with a new or a given seed. */
  issue(login: Login, seed?: string): string;
  /** Returns the same valid token with another mask, for a page. */
  remask(token: string): string;
  /** Returns the seed of a token that was issued for this session and has not expired, else `null`. The caller is not checked. */
  seedOf(token: string, session: string | null): string | null;
  /** Whether a token that `seedOf` accepted was issued for this caller. */
  isOf(token: string, caller: string | null): boolean;
  /** Whether at least half of a valid token's lifetime has passed. */
  isAging(token: string): boolean;
}

const TOKEN_PATTERN = /^([\w-]{22})\.([\da-z]{1,9})\.([\w-]{22})\.([\w-]{43})$/;
const MAX_CACHED = 1000;

/**
 * Creates the tokens of a key.
 *
 * @param maxAge lifetime in seconds
 * @param now returns Unix milliseconds
 */
export const csrfTokens = (
  secret: string | Uint8Array,
  maxAge: number,
  now: () => number = Date.now,
): CsrfTokens => {
  /** Cache of valid tokens: most requests of a browser send the same one. */
  const valid = new Map<string, string>();
  const seconds = (): number => Math.floor(now() / 1000);
  const signature = (payload: string, session: string | null): string =>
    createHmac("sha256", secret)
      .update(`${lengthPrefixed(session)}${payload}`)
      .digest("base64url");
  /** Truncated HMAC of the caller: only a holder of the key can check it, so a token does not reveal the caller. */
  const markOf = (caller: string | null, seed: string): string =>
    createHmac("sha256", secret)
      .update(`caller:${lengthPrefixed(caller)}${seed}`)
      .digest("base64url")
      .slice(0, 22);
  const isSigned = (token: string, payload: string, given: string, session: string | null): boolean => {
    if (valid.get(token) === lengthPrefixed(session)) return true;
    if (!areSame(given, signature(payload, session))) return false;
    if (valid.size >= MAX_CACHED) valid.delete(valid.keys().next().value as string);
    valid.set(token, lengthPrefixed(session));
    return true;
  };
  const ageOf = (issued: string): number => seconds() - Number.parseInt(issued, 36);

  return {
    issue({ session, caller }, seed = randomBytes(16).toString("base64url")) {
      const payload = `${seed}.${seconds().toString(36)}.${markOf(caller, seed)}`;
      return mask(`${payload}.${signature(payload, session)}`);
    },
    remask: (token) => mask(unmask(token)),
    seedOf(value, session) {
      const token = unmask(value);
      const [, seed = "", issued = "", mark = "", given = ""] = TOKEN_PATTERN.exec(token) ?? [];
      if (seed === "") return null;
      const age = ageOf(issued);
      if (age < -60 || age >= maxAge) return null; // a minute of clock skew between hosts
      return isSigned(token, `${seed}.${issued}.${mark}`, given, session) ? seed : null;
    },
    isOf(token, caller) {
      const [seed = "", , mark = ""] = unmask(token).split(".");
      return areSame(mark, markOf(caller, seed));
    },
    isAging(token) {
      return ageOf(unmask(token).split(".")[1] ?? "") * 2 >= maxAge;
    },
  };
};

/** Length-prefixed, so a session id cannot extend into the next field. */
const lengthPrefixed = (session: string | null): string =>
  session === null ? "-:" : `${session.length}:${session}:`;

/** Compares in constant time. */
export const areSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};
