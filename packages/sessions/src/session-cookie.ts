import type { HttpRequest, Response } from "@framework/core";

/** The cookie of sessions. */
export interface SessionCookie {
  /** The name in requests, where the request does not decide it. */
  readonly usualName: string;
  /** The value that a request brought. */
  read(request: HttpRequest): string | null;
  /** @param maxAge seconds */
  set(request: HttpRequest, reply: Response, value: string, maxAge: number): void;
  remove(request: HttpRequest, reply: Response): void;
}

/** Options of the cookie. */
export interface SessionCookieOptions {
  readonly name: string;
  readonly sameSite: "lax" | "strict" | "Lax" | "Strict";
  /** Whether the cookie needs TLS; `undefined` decides by the request. */
  readonly secure: boolean | undefined;
}

/** The name of a cookie in requests; with TLS browsers then reject one that a sibling domain or a page without TLS sets. */
export const cookieNameOf = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name);

/** Longest value that is read: browsers send at most 4,096 bytes of a cookie. */
const MAX_VALUE = 4096;

/**
 * The cookie of sessions: hidden from scripts, for the whole host and only for it. With TLS its name has the prefix `__Host-`, so that browsers reject one
 * that a sibling domain or a page without TLS sets.
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
      return value === null || value === "" || value.length > MAX_VALUE ? null : value;
    },
    set(request, reply, value, maxAge) {
      reply.setCookie(nameFor(request), value, { ...options(request), maxAge });
    },
    remove(request, reply) {
      reply.deleteCookie(nameFor(request), options(request));
    },
  };
};
