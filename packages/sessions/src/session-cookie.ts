import type { HttpRequest, Response } from "@framework/core";

/** The cookie of sessions. */
export interface SessionCookie {
  /** The name in requests; if it depends on the request, the name without TLS. */
  readonly usualName: string;
  /** Returns the value in a request; `null` if there is none, or it is empty or too long. */
  read(request: HttpRequest): string | null;
  /** @param maxAge seconds */
  set(request: HttpRequest, reply: Response, value: string, maxAge: number): void;
  remove(request: HttpRequest, reply: Response): void;
}

/** Options of the cookie. */
export interface SessionCookieOptions {
  readonly name: string;
  readonly sameSite: "lax" | "strict" | "Lax" | "Strict";
  /** Whether the cookie requires TLS; `undefined`: if the request came over TLS. */
  readonly secure: boolean | undefined;
}

/** Returns the name of a cookie in requests, with the prefix `__Host-` for TLS. */
export const cookieNameOf = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name);

/** Maximum length of a value: browsers store at most 4,096 bytes of a cookie. */
const MAX_VALUE_LENGTH = 4096;

/**
 * Creates the session cookie: hidden from scripts, for all paths of this host only. With TLS its name has the prefix `__Host-`, so that browsers reject a
 * cookie set by a sibling domain or by a page without TLS.
 */
export const sessionCookie = ({ name, sameSite, secure }: SessionCookieOptions): SessionCookie => {
  const isSecure = (request: HttpRequest): boolean => secure ?? request.isSecure;
  const nameFor = (request: HttpRequest): string => cookieNameOf(name, isSecure(request));
  const options = (request: HttpRequest) =>
    ({ path: "/", httpOnly: true, secure: isSecure(request), sameSite }) as const;
  return {
    usualName: cookieNameOf(name, secure === true),
    read(request) {
      const value = request.cookies.get(nameFor(request));
      return value === null || value === "" || value.length > MAX_VALUE_LENGTH ? null : value;
    },
    set(request, reply, value, maxAge) {
      reply.setCookie(nameFor(request), value, { ...options(request), maxAge });
    },
    remove(request, reply) {
      reply.deleteCookie(nameFor(request), options(request));
    },
  };
};
