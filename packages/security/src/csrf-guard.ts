// More than 250 lines, because the check of a request and the cookies of its reply share the state of one guard.
import { addVary, coversPath, type DecisionReasons, mapAwaitable, SingleUse } from "@framework/core/feature";
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
import { areSame, type CsrfTokens, type Login } from "./csrf-tokens.ts";
import { isUnread, knownLogin, loginOf, nextLogin, sessionOf } from "./login.ts";
import { isFromTrustedOrigin } from "./request-origin.ts";

/** The CSRF guard of the app. */
export const ActiveGuard: Key<CsrfGuard | null> = key<CsrfGuard | null>("csrf_guard", null);

/** The token of a request, created on first use. */
export const CsrfToken: Key<string | null> = key<string | null>("csrf_token", null);

/** Tokens of the cookie and of the request, verified for this session; the caller is checked after authentication. */
const SubmittedTokens: Key<readonly [cookie: string, request: string] | null> = key<
  readonly [cookie: string, request: string] | null
>("csrf_submitted", null);

/** A token that the reply must set as a cookie. */
const IssuedToken: Key<string | null> = key<string | null>("csrf_issued", null);

/** Safe methods, which need no token (RFC 9110 9.2.1, RFC 10008). */
export const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"]);

/** Maximum number of bytes of a form that are read to find its token. */
const MAX_PEEKED_BYTES = 65_536;

/** Authentication schemes whose credentials browsers send automatically, also for pages of other sites. */
const AMBIENT_SCHEME = /^\s*(?:basic|digest|negotiate|ntlm)\b/i;

/** Checks unsafe requests, and issues the tokens. */
export class CsrfGuard {
  private readonly config: CsrfConfig;
  private readonly tokens: CsrfTokens;
  private readonly skips: (path: string) => boolean;
  private readonly trusted: ReadonlySet<string>;
  private readonly reasons: DecisionReasons;

  constructor(config: CsrfConfig, tokens: CsrfTokens, reasons: DecisionReasons) {
    this.config = config;
    this.reasons = reasons;
    this.skips = coversPath(config.skipPaths);
    this.tokens = tokens;
    this.trusted = new Set(config.trustedOrigins);
  }

  /** Checks everything except the caller; origin and cookie before the body is read. @throws ForbiddenError "CSRF token validation failed" */
  check(request: HttpRequest): Awaitable<void> {
    const exempt = this.exemptionReason(request);
    if (exempt !== null) return this.explain(request, exempt);
    if (!isFromTrustedOrigin(request, this.trusted)) {
      this.explain(
        request,
        "the request comes from another origin, according to Sec-Fetch-Site, Origin or Referer",
      );
      throw refusal();
    }
    const cookie = request.cookies.get(this.config.cookieName);
    const session = this.sessionFor(request, cookie);
    const seed = cookie === null ? null : this.tokens.seedOf(cookie, session);
    if (cookie === null || seed === null) {
      this.explain(
        request,
        cookie === null
          ? "the request has no token cookie"
          : "the token cookie is malformed, expired or of another session",
      );
      throw this.refusalWithToken(request, knownLogin(request, this.config));
    }
    return mapAwaitable(this.submittedToken(request), (token) => {
      // Double submit: cookie and request have tokens of the same seed, both signed for this session. Tokens of one login may have different seeds,
      // because no other client can get one.
      const own = token === null ? null : this.tokens.seedOf(token, session);
      if (token === null || own === null || !(areSame(seed, own) || this.isOfLogin(token, session))) {
        this.explain(
          request,
          token === null
            ? "neither the header field nor the form contains a token"
            : "the token is invalid, or does not match the cookie",
        );
        throw refusal();
      }
      this.explain(request, "cookie and request have valid tokens of this session");
      request.context.set(SubmittedTokens, [cookie, token]);
    });
  }

  /** Returns the reason why a request needs no token; `null` if it needs one. */
  private exemptionReason(request: HttpRequest): string | null {
    if (safeMethods.has(request.method)) return "a safe method needs no token";
    if (this.isSkipped(request)) return "skipPaths covers the path";
    return hasExplicitCredentials(request)
      ? "Authorization without cookies, which browsers do not send automatically"
      : null;
  }

  private explain(request: HttpRequest, reason: string): void {
    if (this.reasons.isObserved) this.reasons.give(request, reason);
  }

  /** Checks the caller, once authentication has found it. @throws ForbiddenError "CSRF token validation failed", SECURITY_CSRF_BAD_SESSION */
  confirm(request: HttpRequest): void {
    const submittedToken = request.context.get(SubmittedTokens);
    if (submittedToken === null) return this.explain(request, "there is no token to compare with the caller");
    const login = loginOf(request, this.config);
    const isOfCaller = submittedToken.every((token) => this.tokens.isOf(token, login.caller));
    this.explain(
      request,
      isOfCaller ? "the tokens belong to the caller" : "a token belongs to another caller",
    );
    if (!isOfCaller) throw this.refusalWithToken(request, login);
  }

  /** Returns the token of a request: from its cookie if valid, else a new one, which the reply sets. */
  token(request: HttpRequest): string {
    const { context } = request;
    const login = loginOf(request, this.config);
    const pageToken = context.get(CsrfToken);
    const known = pageToken ?? request.cookies.get(this.config.cookieName);
    if (known === null || !(this.seedOf(known, login) !== null || this.isKept(known, request)))
      return this.issue(request, login);
    const token = pageToken ?? this.tokens.remask(known);
    context.set(CsrfToken, token).set(SingleUse, true);
    return token;
  }

  /** Issues a token for the login of the next request. */
  rotate(request: HttpRequest, session: string | null, caller: string | null): string {
    return this.issue(request, nextLogin(session ?? null, caller, this.config)); // programs without types may pass undefined
  }

  private issue(request: HttpRequest, login: Login, seed?: string): string {
    const token = this.tokens.issue(login, seed);
    request.context.set(CsrfToken, token).set(IssuedToken, token).set(SingleUse, true);
    return token;
  }

  /** The session that the request has now: a handler may begin, rotate or end it. */
  sessionOf(request: HttpRequest): string | null {
    return sessionOf(request, this.config);
  }

  /**
   * Sets a token cookie if the browser has no valid one or an aging one, or if the request changed the session.
   *
   * @param before the session at the start of the request
   */
  finish(request: HttpRequest, reply: Response, before: string | null): Response {
    const { context } = request;
    const isOnPage = context.get(CsrfToken) !== null;
    const isNewLogin = reply.status < 500 && this.sessionOf(request) !== before;
    if (!isOnPage && (isNewLogin || maySetToken(request, reply))) this.renew(request);
    const issued = context.get(IssuedToken);
    if (issued !== null) reply.setCookie(this.config.cookieName, issued, this.cookieOptions(request));
    if (isOnPage) addVary(reply.headers, "Cookie"); // the page contains the token
    const control = reply.headers.get("cache-control");
    if ((isOnPage || issued !== null) && (control === null || control === "private"))
      reply.setHeader("cache-control", "private, no-cache");
    return reply;
  }

  /** Whether a token is kept because the request names a session that was not read: the token belongs to that session's user or to a visitor. */
  private isKept(token: string, request: HttpRequest): boolean {
    const session = this.sessionFor(request, token);
    return isUnread(request, this.config) && this.tokens.seedOf(token, session) !== null;
  }

  private renew(request: HttpRequest): void {
    const cookie = request.cookies.get(this.config.cookieName);
    if (isUnread(request, this.config)) return;
    const login = loginOf(request, this.config);
    const seed = cookie === null ? null : this.seedOf(cookie, login);
    if (seed === null) {
      if (!this.isOfAbsentCaller(cookie, login)) this.issue(request, login);
    } else if (this.tokens.isAging(cookie ?? "")) this.issue(request, login, seed); // open pages keep working
  }

  /** Whether a request without a caller has a caller's valid token, as on a public page or a logout. A new token would break the caller's open pages. */
  private isOfAbsentCaller(cookie: string | null, { session, caller }: Login): boolean {
    return caller === null && cookie !== null && this.tokens.seedOf(cookie, session) !== null;
  }

  /** Whether a token is bound to the session or to a caller, which `confirm` checks. Everyone can get the token of a visitor. */
  private isOfLogin(token: string, session: string | null): boolean {
    return session !== null || !this.tokens.isOf(token, null);
  }

  /** Returns the session that the token must match. If sessions are not read, a visitor's token also passes, because the handler sees a visitor. */
  private sessionFor(request: HttpRequest, cookie: string | null): string | null {
    const session = sessionOf(request, this.config);
    const isOther = cookie !== null && this.tokens.seedOf(cookie, session) === null;
    return isOther && isUnread(request, this.config) ? null : session;
  }

  private isSkipped({ path }: HttpRequest): boolean {
    return this.skips(path);
  }

  private submittedToken(request: HttpRequest): Awaitable<string | null> {
    const { headerName, fieldName } = this.config;
    const header = request.getHeader(headerName);
    if (header !== null || !(request.isForm || request.isMultipart)) return header;
    return request.peekForm(MAX_PEEKED_BYTES).then((form) => form.get(fieldName));
  }

  /** Returns the seed of a token that was issued for a login, else `null`. */
  private seedOf(token: string, { session, caller }: Login): string | null {
    const seed = this.tokens.seedOf(token, session);
    return seed !== null && this.tokens.isOf(token, caller) ? seed : null;
  }

  /**
   * Returns the 403 for a missing or expired token, or a token of an earlier login. It sets a new token for a retry, except while the session is unread.
   * Before authentication the new token is not yet for the caller; a retry with it reaches `confirm`, which issues the caller's token.
   */
  private refusalWithToken(request: HttpRequest, login: Login): ForbiddenError {
    if (isUnread(request, this.config)) return refusal();
    const token = this.tokens.issue(login);
    const reply = new Response().setCookie(this.config.cookieName, token, this.cookieOptions(request));
    return refusal({ "set-cookie": reply.headers.getSetCookie()[0] ?? "" });
  }

  private cookieOptions(request: HttpRequest): CookieOptions {
    const { cookieName, maxAge } = this.config;
    const secure = request.isSecure || /^__(?:host|secure)-/i.test(cookieName);
    return { path: "/", secure, sameSite: "Lax", maxAge }; // scripts read the cookie and send it in the header field
  }
}

const refusal = (headers: Readonly<Record<string, string>> = {}): ForbiddenError =>
  new ForbiddenError("CSRF token validation failed", { code: "SECURITY_CSRF", headers });

/** Whether a request has explicit credentials, and none that browsers send automatically. */
const hasExplicitCredentials = (request: HttpRequest): boolean => {
  const authorization = request.getHeader("authorization");
  return (
    authorization !== null && request.getHeader("cookie") === null && !AMBIENT_SCHEME.test(authorization)
  );
};

/**
 * Whether a reply may set a token: a reply to GET or HEAD below 400 that shared caches do not reuse without revalidation. A token sets `SingleUse`, so a
 * `no-cache` reply becomes private.
 */
const maySetToken = (request: HttpRequest, reply: Response): boolean => {
  if ((request.method !== "GET" && request.method !== "HEAD") || reply.status >= 400) return false;
  if (hasExplicitCredentials(request)) return false;
  const control = reply.headers.get("cache-control");
  return control === null || /(?:^|[\s,])(?:no-store|private|no-cache)(?:$|[\s,])/i.test(control);
};
