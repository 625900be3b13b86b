import { isPresent } from "./caller-values.ts";
import type { Context } from "./context.ts";
import { type Key, key } from "./key.ts";

/** Claims of a verified JSON Web Token, deeply frozen. */
export interface Claims {
  /** The subject that the token identifies. */
  readonly sub: string;
  /** Expiry in Unix seconds. */
  readonly exp: number;
  /** Time of issue in Unix seconds (RFC 7519 4.1.6). */
  readonly iat?: number;
  /** Start of validity in Unix seconds (4.1.5). */
  readonly nbf?: number;
  /** Issuer (4.1.1). */
  readonly iss?: string;
  /** Audience (4.1.3). */
  readonly aud?: string | readonly string[];
  /** Id of the token (4.1.7). */
  readonly jti?: string;
  readonly [claim: string]: unknown;
}

/** Claims of the accepted token. */
export const JwtClaims: Key<Claims | undefined> = key<Claims | undefined>("jwt_claims", undefined);

/** Name of the user with the accepted password. */
export const User: Key<string | undefined> = key<string | undefined>("user", undefined);

/** Name of the accepted API key. */
export const ApiKeyName: Key<string | undefined> = key<string | undefined>("api_key_name", undefined);

/** Id of the request's session, `null` without one; `undefined` while no feature manages sessions. A new id means a new login or changed privileges. */
export const SessionId: Key<string | null | undefined> = key<string | null | undefined>(
  "session_id",
  undefined,
);

/**
 * A function that returns the id in the session cookie of a request whose session was not read, as on paths without sessions; `null` without one. The session may
 * have ended. It is a function because few requests need the id, and a signed cookie must be verified first. `undefined` if no feature manages sessions.
 */
export const UnreadSessionId: Key<(() => string | null) | undefined> = key<(() => string | null) | undefined>(
  "unread_session_id",
  undefined,
);

/** The identified caller of an invocation. At least one member is set; several if several credentials were checked. */
export interface Principal {
  /** Value under `user`: a name from Basic authentication, or a value set by the application, such as an account object. */
  readonly user?: unknown;
  /** Value under `jwt_claims`: claims of a verified token. */
  readonly claims?: Claims;
  /** Value under `api_key_name`: the name of an API key. */
  readonly apiKeyName?: string;
}

/**
 * Returns the identified caller of an invocation, `null` for an anonymous one. Values are looked up by name, so an application may set them
 * itself; `null`, `undefined`, `false` and the empty string do not identify a caller.
 *
 * @param userKey name under which the application sets its user. @default "user"
 */
export const principalOf = (
  { context }: { readonly context: Context },
  userKey = "user",
): Principal | null => {
  const user = context.get(userKey);
  const claims = context.get(JwtClaims.name);
  const apiKeyName = context.get(ApiKeyName.name);
  const principal: Principal = {
    ...(isPresent(user) && { user }),
    ...(isPresent(claims) && { claims: claims as Claims }), // set by JwtAuth, or by an application that replaces it
    ...(isPresent(apiKeyName) && { apiKeyName: apiKeyName as string }), // as above
  };
  return Object.keys(principal).length === 0 ? null : principal;
};
