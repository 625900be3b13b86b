import { addVary, isUnder, mapAwaitable } from "@framework/core/feature";
import {
  type CookieOptions,
  type Awaitable,
  ForbiddenError,
  type HttpRequest,
  type Key,
  key,
  Response,
} from "@framework/core";
import type { CsrfConfig } from "./csrf-config.ts";
import { areSame, type CsrfTokens } from "./csrf-tokens.ts";
import { comesFromHere } from "./request-origin.ts";

/** The CSRF guard of the app. */
export const Guarding: Key<CsrfGuard | null> = key<CsrfGuard | null>("csrf_guard", null);

/** The token of a request, created on first use. */
export const CsrfToken: Key<string | null> = key<string | null>("csrf_token", null);

/** A token that the reply must set as a cookie. */
const Issued: Key<string | null> = key<string | null>("csrf_issued", null);

/** Safe methods (RFC 9110 9.2.1, RFC 10008). */
const safeMethods = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"]);

/** Authentication schemes whose credentials browsers send automatically, also for pages of other sites. */
const AMBIENT_SCHEME = /^\s*(?:basic|digest|negotiate|ntlm)\b/i;

/** Checks unsafe requests, and issues the tokens. */
export class CsrfGuard {
  private readonly config: CsrfConfig;
  private readonly tokens: CsrfTokens;
  private readonly trusted: ReadonlySet<string>;

  constructor(config: CsrfConfig, tokens: CsrfTokens) {
    this.config = config;
    this.tokens = tokens;
    this.trusted = new Set(config.trustedOrigins);
  }

  /** @throws ForbiddenError "CSRF token validation failed" */
  check(request: HttpRequest): Awaitable<void> {
    if (safeMethods.has(request.method) || this.isSkipped(request) || isOwnProof(request)) return;
    if (!comesFromHere(request, this.trusted)) throw refusal();
    const cookie = request.cookies.get(this.config.cookieName);
    return mapAwaitable(this.submitted(request), (token) => {
      if (!this.proves(request, cookie, token)) throw this.refusalWithToken(request, cookie);
    });
  }

  /** The token of a request: from its cookie if valid, else a new one, which the reply sets. */
  token(request: HttpRequest): string {
    const { context } = request;
    const known = context.get(CsrfToken);
    if (known !== null) return known;
    const cookie = request.cookies.get(this.config.cookieName);
    const session = this.config.session(request);
    if (cookie !== null && this.tokens.seedOf(cookie, session) !== null) {
      context.set(CsrfToken, cookie);
      return cookie;
    }
    return this.issue(request, session);
  }

  issue(request: HttpRequest, session: string | null, seed?: string): string {
    const token = this.tokens.issue(session, seed);
    request.context.set(CsrfToken, token).set(Issued, token);
    return token;
  }

  /** Sets a token cookie if the browser has none, or an old one. */
  finish(request: HttpRequest, reply: Response): Response {
    const { context } = request;
    const wasAsked = context.get(CsrfToken) !== null;
    if (!wasAsked && mayBring(request, reply)) this.renew(request);
    const issued = context.get(Issued);
    if (issued !== null) reply.setCookie(this.config.cookieName, issued, this.cookieOptions(request));
    if (wasAsked) addVary(reply.headers, "Cookie"); // the page holds the token
    if ((wasAsked || issued !== null) && !reply.headers.has("cache-control"))
      reply.setHeader("cache-control", "private, no-cache");
    return reply;
  }

  private renew(request: HttpRequest): void {
    const { cookieName, session } = this.config;
    const cookie = request.cookies.get(cookieName);
    const login = session(request);
    const seed = cookie === null ? null : this.tokens.seedOf(cookie, login);
    if (seed === null) this.issue(request, login);
    else if (this.tokens.isAging(cookie ?? "")) this.issue(request, login, seed); // pages that are open keep working
  }

  private isSkipped({ path }: HttpRequest): boolean {
    return this.config.skipPaths.some((prefix) => isUnder(path, prefix));
  }

  private submitted(request: HttpRequest): Awaitable<string | null> {
    const { headerName, fieldName } = this.config;
    const header = request.getHeader(headerName);
    if (header !== null || !(request.isForm || request.isMultipart)) return header;
    return request.form().then((form) => form.get(fieldName));
  }

  /** Double submit: cookie and request have tokens of the same seed, both signed for this login. */
  private proves(request: HttpRequest, cookie: string | null, token: string | null): boolean {
    if (cookie === null || token === null) return false;
    const session = this.config.session(request);
    const seed = this.tokens.seedOf(cookie, session);
    if (seed === null) return false;
    if (areSame(token, cookie)) return true;
    const other = this.tokens.seedOf(token, session);
    return other !== null && areSame(seed, other);
  }

  /** A browser with an expired token, or one of an earlier login, gets a new one with the 403, to retry. */
  private refusalWithToken(request: HttpRequest, cookie: string | null): ForbiddenError {
    const session = this.config.session(request);
    if (cookie !== null && this.tokens.seedOf(cookie, session) !== null) return refusal();
    const reply = new Response().setCookie(
      this.config.cookieName,
      this.tokens.issue(session),
      this.cookieOptions(request),
    );
    return refusal({ "set-cookie": reply.headers.getSetCookie()[0] ?? "" });
  }

  private cookieOptions(request: HttpRequest): CookieOptions {
    const { cookieName, maxAge } = this.config;
    const secure = request.isSecure || /^__(?:host|secure)-/i.test(cookieName);
    return { path: "/", secure, sameSite: "Lax", maxAge }; // scripts read the cookie, to send it in the header field
  }
}

const refusal = (headers: Readonly<Record<string, string>> = {}): ForbiddenError =>
  new ForbiddenError("CSRF token validation failed", { code: "SECURITY_CSRF", headers });

/** A client with explicit credentials in each request, and none that a browser would add automatically. */
const isOwnProof = (request: HttpRequest): boolean => {
  const authorization = request.getHeader("authorization");
  return (
    authorization !== null && request.getHeader("cookie") === null && !AMBIENT_SCHEME.test(authorization)
  );
};

/** Replies that a shared cache may store never have a token. */
const mayBring = (request: HttpRequest, reply: Response): boolean => {
  if ((request.method !== "GET" && request.method !== "HEAD") || reply.status >= 400) return false;
  if (isOwnProof(request)) return false;
  const control = reply.headers.get("cache-control");
  return control === null || /(?:^|[\s,])(?:no-store|private|no-cache)(?:$|[\s,])/i.test(control);
};
