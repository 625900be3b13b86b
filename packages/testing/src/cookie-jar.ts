import { readSetCookies, type SetCookie } from "./set-cookie.ts";

/** Cookies of one application. */
export interface CookieJar {
  /** Stores the cookies of a reply; an expired cookie is removed. */
  store(headers: Headers, target: string): void;
  /** Value of the `Cookie` field for a target, or `null`. @param except names of cookies that are left out */
  fieldFor(target: string, except?: ReadonlySet<string>): string | null;
}

/** Maximum cookies; the oldest are evicted. */
const MAX_COOKIES = 300;

interface StoredCookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly expiresAt: number;
}

/**
 * Creates a cookie jar for one host: it respects paths and expiry (RFC 6265, section 5), ignores `Domain`, and sends `Secure` cookies without TLS,
 * as browsers do for localhost.
 */
export const cookieJar = (now: () => number = Date.now): CookieJar => {
  const jar = new Map<string, StoredCookie>();
  return {
    store(headers, target) {
      for (const cookie of readSetCookies(headers)) {
        const stored = toStored(cookie, pathOf(target), now());
        const key = `${stored.path} ${stored.name}`;
        if (stored.expiresAt <= now()) jar.delete(key);
        else jar.set(key, stored);
      }
      for (const key of [...jar.keys()].slice(0, Math.max(0, jar.size - MAX_COOKIES))) jar.delete(key);
    },
    fieldFor(target, except = new Set()) {
      const sent = [...jar.values()]
        .filter(({ name }) => !except.has(name))
        .filter(({ expiresAt, path }) => expiresAt > now() && covers(path, pathOf(target)))
        .sort((a, b) => b.path.length - a.path.length);
      return sent.length === 0 ? null : sent.map(({ name, value }) => `${name}=${value}`).join("; ");
    },
  };
};

const toStored = (
  { name, value, path, maxAge, expires }: SetCookie,
  requested: string,
  now: number,
): StoredCookie => ({
  name,
  value,
  path: path?.startsWith("/") ? path : defaultPath(requested),
  expiresAt: maxAge === undefined ? (expires?.getTime() ?? Infinity) : now + maxAge * 1000,
});

const pathOf = (target: string): string => target.split("?", 1)[0] ?? target;

/** Returns the request's path up to its last slash (section 5.1.4). */
const defaultPath = (requested: string): string => requested.slice(0, requested.lastIndexOf("/")) || "/";

const covers = (cookiePath: string, path: string): boolean =>
  path === cookiePath ||
  (path.startsWith(cookiePath) && (cookiePath.endsWith("/") || path[cookiePath.length] === "/"));
