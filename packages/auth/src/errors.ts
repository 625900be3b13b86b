import { FrameworkError, HttpError, type Problem, UnauthorizedError } from "@framework/core";

/** Every code of this package, with what it says. */
export const authCodes = {
  AUTH_NO_KEY: "no key fits the algorithm, or more than one was given",
  AUTH_BAD_KEY: "a key cannot be read, or is of another type than the algorithm needs",
  AUTH_WEAK_KEY: "an RSA key has less than 2048 bits",
  AUTH_SECRET_IS_KEY: "the secret holds a PEM or JWK key, which others may know",
  AUTH_SHORT_SECRET: "a warning: the secret has less than 32 bytes",
  AUTH_BAD_KEY_SET_URL: "`jwksUrl` is neither https nor on this machine",
  AUTH_BAD_API_KEY:
    "an API key, or the name of its field, cannot be sent or was given twice, or there are none or too many",
  AUTH_BAD_SKIP_PATH: "`skipPath` got what is no path",
  AUTH_GUARD_EMPTY: "a guard got no roles or permissions, or `anyOf` nothing to choose from",
  AUTH_ALREADY_STARTED: "`skipPath` was called after the app started",
  AUTH_NOT_STARTED: "tokens are checked or revoked before an app that uses them has started",
  AUTH_CANNOT_SIGN: "a token is to be made without `secret` or `privateKey`",
  AUTH_BAD_CLAIMS: "the claims of a new token are not what they must be, or make it longer than 8 KiB",
  AUTH_BAD_HASH: "a stored password is not a scrypt hash that `hashPassword` could have made",
  AUTH_KEYS_UNAVAILABLE: "503: the key set was never loaded, and cannot be now",
  AUTH_STORE_UNAVAILABLE: "503: nobody can say whether a token was revoked",
  AUTH_BUSY: "503: too many passwords wait to be checked",
} as const;

/** One of `authCodes`. */
export type AuthCode = keyof typeof authCodes;

/** A mistake to be reported at start. */
export const authProblem = (code: AuthCode, message: string): Problem => ({ code, message });

/** A mistake of the program, found while it runs. */
export const authError = (code: AuthCode, message: string, cause?: unknown): FrameworkError =>
  new FrameworkError(code, message, cause === undefined ? undefined : { cause });

/** A 503: who asks cannot be told at the moment, and is not let in. */
export const unavailable = (code: AuthCode, cause?: unknown): HttpError =>
  new HttpError(503, "Authentication is not available at the moment", {
    code,
    headers: { "retry-after": "1" },
    retry_after: 1,
    ...(cause === undefined ? {} : { cause }),
  });

/** A 401 for whom sent nothing, or nothing of this kind. */
export const missing = (challenge: string): UnauthorizedError => new UnauthorizedError(undefined, challenge);
