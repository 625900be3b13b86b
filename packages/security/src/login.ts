import { FrameworkError, type HttpRequest } from "@framework/core";
import { JwtClaims, describeInvalid, SessionId, UnreadSessionId, User } from "@framework/core/feature";
import type { CsrfConfig } from "./csrf-config.ts";
import type { Login } from "./csrf-tokens.ts";

/** Cookie of a session that the application manages, unless `CsrfConfig.session` identifies it. */
const SESSION_COOKIE = "session_id";

/** Reads the login of a request, after authentication. @throws SECURITY_CSRF_BAD_SESSION */
export const loginOf = (request: HttpRequest, config: CsrfConfig): Login =>
  config.session === undefined
    ? knownLogin(request, config)
    : { session: null, caller: checkName(config.session(request)) };

/** Checks the name returned by `CsrfConfig.session`. Other values would convert to the same string for all logins. */
const checkName = (name: unknown): string | null => {
  if (typeof name === "string") return name;
  if (name === null || name === undefined) return null;
  throw new FrameworkError(
    "SECURITY_CSRF_BAD_SESSION",
    `security: session of CsrfConfig must return a string, null or undefined, not ${describeInvalid(name)}`,
  );
};

/** Returns the part of the login that is known before authentication; `CsrfConfig.session` is called only after it. */
export const knownLogin = (request: HttpRequest, config: CsrfConfig): Login => ({
  session: sessionOf(request, config),
  caller: config.session === undefined ? callerOf(request) : null,
});

/** Returns the session id, which is known before authentication; `null` if there is none, or if `CsrfConfig.session` identifies logins. */
export const sessionOf = (request: HttpRequest, { session }: CsrfConfig): string | null => {
  if (session !== undefined) return null;
  const managed = request.context.get(SessionId);
  if (managed !== undefined) return managed;
  const unread = request.context.get(UnreadSessionId);
  return unread === undefined ? request.cookies.get(SESSION_COOKIE) : unread();
};

/** Whether the request names a session that was not read. Its caller is unknown, so its tokens must not be replaced. */
export const isUnread = ({ context }: HttpRequest, { session }: CsrfConfig): boolean =>
  session === undefined &&
  context.get(SessionId) === undefined &&
  (context.get(UnreadSessionId)?.() ?? null) !== null;

/** Returns the login of the next request. */
export const nextLogin = (session: string | null, caller: string | null, config: CsrfConfig): Login =>
  config.session === undefined ? { session, caller } : { session: null, caller: session };

/** An API key is not a login, because browsers do not send it automatically. */
const callerOf = ({ context }: HttpRequest): string | null => {
  const sub = context.get(JwtClaims)?.sub;
  if (typeof sub === "string") return sub;
  const user: unknown = context.get(User);
  return typeof user === "string" && user !== "" ? user : null;
};
