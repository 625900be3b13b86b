import type { Context } from "./context.ts";
import { type Key, key } from "./key.ts";

/** Claims of a verified JSON Web Token, deeply frozen. */
export interface Claims {
  /** The subject: whom the token identifies. */
  readonly sub: string;
  /** When the token expires, in seconds since 1970. */
  readonly exp: number;
  readonly iat?: number;
  readonly nbf?: number;
  readonly iss?: string;
  readonly aud?: string | readonly string[];
  readonly jti?: string;
  readonly [claim: string]: unknown;
}

/** Claims of the token that was accepted. */
export const JwtClaims: Key<Claims | undefined> = key<Claims | undefined>("jwt_claims", undefined);

/** Name of the user whose password was accepted. */
export const User: Key<string | undefined> = key<string | undefined>("user", undefined);

/** Name that belongs to the API key that was accepted. */
export const ApiKeyName: Key<string | undefined> = key<string | undefined>("api_key_name", undefined);

/** The identified caller of an invocation: at least one member is set, several where several credentials were checked. */
export interface Principal {
  /** Value under `user`: a name from Basic authentication, or what the application set there, such as its own account object. */
  readonly user?: unknown;
  /** Value under `jwt_claims`: claims of a verified token. */
  readonly claims?: Claims;
  /** Value under `api_key_name`: the name that belongs to an API key. */
  readonly apiKeyName?: string;
}

/**
 * The identified caller of an invocation, `null` for an anonymous one. Values are found by name, so that an application may set them itself; `null`,
 * `undefined`, `false` and the empty string identify nobody.
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
    ...(isIdentity(user) && { user }),
    ...(isIdentity(claims) && { claims: claims as Claims }), // set by JwtAuth, or by an application that takes its place
    ...(isIdentity(apiKeyName) && { apiKeyName: apiKeyName as string }), // as above
  };
  return Object.keys(principal).length === 0 ? null : principal;
};

const isIdentity = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== false && value !== "";
