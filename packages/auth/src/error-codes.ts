import type { ErrorCatalogue } from "@framework/core/feature";

/** An error code of this package. */
export type AuthErrorCode =
  | "AUTH_NO_KEY"
  | "AUTH_BAD_KEY"
  | "AUTH_WEAK_KEY"
  | "AUTH_SECRET_IS_KEY"
  | "AUTH_SHORT_SECRET"
  | "AUTH_BAD_KEY_SET_URL"
  | "AUTH_BAD_API_KEY"
  | "AUTH_BAD_SKIP_PATH"
  | "AUTH_GUARD_EMPTY"
  | "AUTH_ALREADY_STARTED"
  | "AUTH_NOT_STARTED"
  | "AUTH_CANNOT_SIGN"
  | "AUTH_BAD_CLAIMS"
  | "AUTH_BAD_HASH"
  | "AUTH_BAD_PASSWORD"
  | "AUTH_KEYS_UNAVAILABLE"
  | "AUTH_STORE_UNAVAILABLE"
  | "AUTH_STORE_FULL"
  | "AUTH_REVOCATIONS_IN_MEMORY"
  | "AUTH_VERIFY_TIMEOUT"
  | "AUTH_BUSY";

/** The error codes of this package. */
export const authErrors: ErrorCatalogue<AuthErrorCode> = {
  AUTH_NO_KEY: {
    summary: "no key matches the algorithm, or several do; the app does not start",
    action: "configure the key that the message names",
  },
  AUTH_BAD_KEY: {
    summary: "a key is unreadable, or of another type than the algorithm needs; the app does not start",
    action: "configure a key of the type that the message names",
  },
  AUTH_WEAK_KEY: {
    summary: "an RSA key has fewer than 2048 bits; the app does not start",
    action: "generate a key with 2048 bits or more",
  },
  AUTH_SECRET_IS_KEY: {
    summary: "`secret` contains a PEM or JWK key, which may be public; the app does not start",
    action: "use `publicKey`, or a random secret",
  },
  AUTH_SHORT_SECRET: {
    summary: "a warning of `run`: `secret` has fewer than 32 bytes",
    action: "use 32 random bytes",
  },
  AUTH_BAD_KEY_SET_URL: {
    summary:
      "`jwksUrl` is neither https nor on this machine, or has a user or password; the app does not start",
    action: "use https, without credentials",
  },
  AUTH_BAD_API_KEY: {
    summary:
      "an API key or the field name is malformed, a key is duplicated, or there are no keys or too many",
    action: "correct the key or field name that the message names",
  },
  AUTH_BAD_SKIP_PATH: {
    summary: "`skipPath` was given a value that is not a path",
    action: "pass a path that begins with `/`",
  },
  AUTH_GUARD_EMPTY: {
    summary: "a guard has no role or permission, or one that is not a string; or `anyOf` has no alternative",
    action: "pass at least one",
  },
  AUTH_ALREADY_STARTED: {
    summary: "`skipPath` was called after the app started",
    action: "call it before start",
  },
  AUTH_NOT_STARTED: {
    summary: "a token was checked or revoked before an app with this `JwtAuth` had started",
    action: "start the app first",
  },
  AUTH_CANNOT_SIGN: {
    summary: "a token cannot be signed without `secret` or `privateKey`",
    action: "configure one of them",
  },
  AUTH_BAD_CLAIMS: {
    summary:
      "the claims of a new token are malformed, would be refused or make it longer than 8 KiB; or a value does not identify a token",
    action: "correct the claim or value that the message names",
  },
  AUTH_BAD_HASH: {
    summary:
      "a stored password is not a scrypt hash that `hashPassword` could have made, or a given cost is out of range",
    action: "store the result of `hashPassword`; use a cost within the limits",
  },
  AUTH_BAD_PASSWORD: {
    status: 422,
    summary:
      "a new password is not a string, or has more than 1,024 characters, a NUL or an unpaired surrogate",
    action: "ask for another one; `passwordProblem` checks a password before it is hashed",
  },
  AUTH_KEYS_UNAVAILABLE: {
    status: 503,
    summary: "the key set was never loaded, and cannot be loaded now",
    action: "check `jwksUrl`; clients retry after a second",
  },
  AUTH_STORE_UNAVAILABLE: {
    status: 503,
    summary: "the store of revoked tokens failed, or did not answer within `storeTimeoutMs`",
    action: "check the store; clients retry after a second",
  },
  AUTH_STORE_FULL: {
    status: 503,
    summary:
      "the default store has `maxLogins` renewed or revoked logins; none of them is evicted for a new one",
    action: "set `maxLogins`, or a `store`; limit the rate of logins",
  },
  AUTH_REVOCATIONS_IN_MEMORY: {
    summary: "a warning at start in production: revoked tokens are kept in memory, and a restart loses them",
    action: "set `store`",
  },
  AUTH_VERIFY_TIMEOUT: {
    status: 503,
    summary: "the function `verify` of BasicAuth did not answer within `timeoutMs`",
    action: "check what it waits for; clients retry after a second",
  },
  AUTH_BUSY: {
    status: 503,
    summary: "too many passwords are waiting to be hashed or verified",
    action: "limit the rate of logins; clients retry after a second",
  },
};
