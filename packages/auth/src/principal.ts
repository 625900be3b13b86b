import { type Context, type Key, key } from "@framework/core";

/** Claims of a verified token, frozen through and through. */
export interface Claims {
  /** Whom the token speaks of. */
  readonly sub: string;
  /** Seconds since 1970 from which on the token is expired. */
  readonly exp: number;
  readonly iat?: number;
  readonly nbf?: number;
  readonly iss?: string;
  readonly aud?: string | readonly string[];
  readonly jti?: string;
  readonly [claim: string]: unknown;
}

/** Claims of the token that `JwtAuth` accepted. */
export const JwtClaims: Key<Claims | undefined> = key<Claims | undefined>("jwt_claims", undefined);

/** Name of the user that `BasicAuth` accepted. */
export const User: Key<string | undefined> = key<string | undefined>("user", undefined);

/** Name that belongs to the key which `ApiKeyAuth` accepted. */
export const ApiKeyName: Key<string | undefined> = key<string | undefined>("api_key_name", undefined);

/** Everybody that a request was found to come from: what stands under `userKey`, a token's claims, the name of an API key. */
export const principalsOf = (context: Context, userKey: string): readonly unknown[] =>
  [context.get(userKey), context.get(JwtClaims), context.get(ApiKeyName)].filter(isSomebody);

const isSomebody = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== false && value !== "";
