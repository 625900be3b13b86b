import {
  checked,
  type ConfigRecord,
  configRecord,
  integer,
  list,
  optional,
  pathPrefixes,
  secret,
} from "@framework/core/feature";
import type { HttpRequest } from "@framework/core";
import { isHttpOrigin } from "./security-headers-config.ts";

/** Options of `enableCsrf`. */
export interface CsrfConfig {
  /** Key of the tokens' signatures, 32 bytes or more. @default a random key that all workers share until the service stops */
  readonly secret: string | Uint8Array | undefined;
  /** Name of the cookie with the token. @default "_csrf" */
  readonly cookieName: string;
  /** Request header field with the token. @default "X-CSRF-Token" */
  readonly headerName: string;
  /** Form field with the token, used if the header field is absent. @default "_csrf" */
  readonly fieldName: string;
  /** Lifetime of a token in seconds; renewed after half of it. @default 86400 */
  readonly maxAge: number;
  /** Other origins whose pages may send requests, such as `https://admin.example`. @default [] */
  readonly trustedOrigins: readonly string[];
  /** Unprotected paths, with all paths below them: webhooks, which have their own signatures. @default [] */
  readonly skipPaths: readonly string[];
  /**
   * Identifies the login by a string, `null` or `undefined` for none; a token is valid for one login only. Called after authentication and guards, also for
   * routes without them.
   *
   * @default the session of `@framework/sessions`, else the cookie `session_id`, and the caller that authentication found: `sub` of the claims, or the name
   * of the user
   */
  readonly session: ((request: HttpRequest) => string | null | undefined) | undefined;
}

/** Minimum number of bytes in the HMAC key. */
const MIN_SECRET_BYTES = 32;

const isSecret = (value: unknown): boolean =>
  (typeof value === "string" && Buffer.byteLength(value) >= MIN_SECRET_BYTES) ||
  (value instanceof Uint8Array && value.byteLength >= MIN_SECRET_BYTES);

const isToken = (value: unknown): boolean =>
  typeof value === "string" && /^[!#$%&'*+.^_`|~\w-]{1,100}$/.test(value);

/** Validates the options of `enableCsrf` and fills in their defaults. */
export const CsrfConfig: ConfigRecord<CsrfConfig> = configRecord<CsrfConfig>("CsrfConfig", {
  secret: secret(
    optional<string | Uint8Array>({
      problem: (value) =>
        isSecret(value) ? null : `must be a string or bytes, ${MIN_SECRET_BYTES} bytes or more`,
    }),
  ),
  cookieName: checked("_csrf", "a cookie name of 1 to 100 characters (a token, RFC 9110 5.6.2)", isToken),
  headerName: checked(
    "X-CSRF-Token",
    "a header field name of 1 to 100 letters, digits or dashes",
    isFieldName,
  ),
  fieldName: checked(
    "_csrf",
    "1 to 100 characters",
    (value) => typeof value === "string" && /^.{1,100}$/.test(value),
  ),
  maxAge: integer(86_400, { min: 60, max: 31_536_000 }),
  trustedOrigins: list(
    [],
    "origins as browsers send them: https://app.example, without a path",
    isHttpOrigin,
  ),
  skipPaths: pathPrefixes,
  session: checked<CsrfConfig["session"]>(
    undefined,
    "a function of the request",
    (value) => value === undefined || typeof value === "function",
  ),
});

function isFieldName(value: unknown): boolean {
  // Pages of other sites can set these fields without a preflight.
  return (
    typeof value === "string" &&
    /^[A-Za-z0-9-]{1,100}$/.test(value) &&
    !["accept", "accept-language", "content-language", "content-type", "cookie", "range"].includes(
      value.toLowerCase(),
    )
  );
}
