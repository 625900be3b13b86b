import { checked, type ConfigRecord, configRecord, integer, list, optional } from "@framework/core/feature";
import type { HttpRequest } from "@framework/core";
import { isHttpOrigin } from "./security-headers-config.ts";

/** What `enableCsrf` may be told. */
export interface CsrfConfig {
  /** Key of the tokens' signatures, 32 bytes or more; without one all workers share a random key that ends with the service. */
  readonly secret: string | Uint8Array | undefined;
  /** @default "_csrf" */
  readonly cookieName: string;
  /** Field of the request that carries the token. @default "X-CSRF-Token" */
  readonly headerName: string;
  /** Field of a form that carries it where there is no header field. @default "_csrf" */
  readonly fieldName: string;
  /** Seconds that a token lasts; it is renewed from half of that on. @default 86400 */
  readonly maxAge: number;
  /** Other origins whose pages may call, such as `https://admin.example`. @default [] */
  readonly trustedOrigins: readonly string[];
  /** Paths that are not guarded, exactly these and what is below them: webhooks, which have signatures of their own. @default [] */
  readonly skipPaths: readonly string[];
  /** What tells one login from another; tokens of one are refused in another. @default the cookie `session_id` */
  readonly session: (request: HttpRequest) => string | null;
}

/** Bytes of an HMAC key below which guessing is not hopeless. */
const MIN_SECRET_BYTES = 32;

const isSecret = (value: unknown): boolean =>
  (typeof value === "string" && Buffer.byteLength(value) >= MIN_SECRET_BYTES) ||
  (value instanceof Uint8Array && value.byteLength >= MIN_SECRET_BYTES);

const isToken = (value: unknown): boolean =>
  typeof value === "string" && /^[!#$%&'*+.^_`|~\w-]{1,100}$/.test(value);

const isPath = (value: unknown): boolean => typeof value === "string" && /^\/[^?#]/.test(value);

export const CsrfConfig: ConfigRecord<CsrfConfig> = configRecord<CsrfConfig>("CsrfConfig", {
  secret: optional<string | Uint8Array>({
    problem: (value) =>
      isSecret(value) ? null : `must be a string or bytes, ${MIN_SECRET_BYTES} bytes or more`,
  }),
  cookieName: checked("_csrf", "a cookie's name: 1 to 100 characters of a token (RFC 9110 5.6.2)", isToken),
  headerName: checked("X-CSRF-Token", "the name of a field: 1 to 100 letters, digits or dashes", isFieldName),
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
  skipPaths: list([], 'paths below "/", without a query', isPath),
  session: checked<CsrfConfig["session"]>(
    (request) => request.cookies.get("session_id"),
    "a function of the request",
    (value) => typeof value === "function",
  ),
});

function isFieldName(value: unknown): boolean {
  // What a form of another site can set says nothing.
  return (
    typeof value === "string" &&
    /^[A-Za-z0-9-]{1,100}$/.test(value) &&
    !["accept", "accept-language", "content-language", "content-type", "cookie", "range"].includes(
      value.toLowerCase(),
    )
  );
}
