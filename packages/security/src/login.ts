import type { HttpRequest } from "@framework/core";
import { JwtClaims, SessionId, User } from "@framework/core/feature";
import type { CsrfConfig } from "./csrf-config.ts";
import type { Login } from "./csrf-tokens.ts";

/** Cookie of a session that the application manages, unless `CsrfConfig.session` identifies it. */
const SESSION_COOKIE = "session_id";

/** Reads the login of a request, after authentication. */
export const loginOf = (request: HttpRequest, config: CsrfConfig): Login =>
  config.session === undefined
    ? knownLogin(request, config)
    : { session: null, caller: config.session(request) };

/** Returns the login as far as it is known before authentication, which `CsrfConfig.session` needs. */
export const knownLogin = (request: HttpRequest, config: CsrfConfig): Login => ({
  session: sessionOf(request, config),
  caller: config.session === undefined ? callerOf(request) : null,
});

/** Returns the part of the login that is known before authentication. */
export const sessionOf = (request: HttpRequest, { session }: CsrfConfig): string | null => {
  if (session !== undefined) return null;
  const managed = request.context.get(SessionId);
  return managed === undefined ? request.cookies.get(SESSION_COOKIE) : managed;
};

/** Returns the login that later requests will have. */
export const nextLogin = (session: string | null, caller: string | null, config: CsrfConfig): Login =>
  config.session === undefined ? { session, caller } : { session: null, caller: session };

/** An API key counts for no login, since no browser adds it to the requests of other sites. */
const callerOf = ({ context }: HttpRequest): string | null => {
  const sub = context.get(JwtClaims)?.sub;
  if (typeof sub === "string") return sub;
  const user: unknown = context.get(User);
  return typeof user === "string" && user !== "" ? user : null;
};
