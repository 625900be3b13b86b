import {
  checked,
  type ConfigInput,
  type ConfigRecord,
  configRecord,
  type FieldRule,
  integer,
  isPlainObject,
  list,
  oneOf,
  secret,
  unusedFields,
} from "@framework/core/feature";
import type { Problem } from "@framework/core";
import type { TokenStore } from "../token-store/token-store.ts";
import { algorithms, type JwtAlgorithm } from "../jose/algorithms.ts";
import { MAX_KEY_ID_LENGTH } from "../jose/compact-token.ts";

/** A public or private key: PEM text (SPKI, PKCS#8, a certificate), or a JSON Web Key. */
export type KeyInput = string | { readonly kty?: string; readonly [member: string]: unknown };

/** Options of `JwtAuth`. A key is required: `secret` for HS algorithms; for the others `publicKey`, `privateKey` or `jwksUrl`. */
export interface JwtConfig {
  /** Secret of an HS algorithm; use at least 32 bytes. A string is encoded as UTF-8. */
  readonly secret: string | Uint8Array | undefined;
  /** The only accepted algorithm. @default "HS256" */
  readonly algorithm: JwtAlgorithm;
  /** Lifetime of a new token, in seconds. @default 3600 */
  readonly expiration: number;
  /** Header field of the token. @default "Authorization" */
  readonly headerName: string;
  /** Scheme before the token, case-insensitive; empty for none. @default "Bearer" */
  readonly scheme: string;
  /** Cookie that may carry the token instead. */
  readonly cookieName: string | undefined;
  /** Query parameter that may carry the token instead; it then appears in logs and browser histories. */
  readonly queryParam: string | undefined;
  /** Tolerated clock difference in seconds, at most 60. @default 0 */
  readonly leewaySecs: number;
  /** Required `iss`; set in new tokens. */
  readonly issuer: string | undefined;
  /** Accepted `aud` values; set in new tokens. */
  readonly audience: string | readonly string[] | undefined;
  /** Required claims besides `sub` and `exp`. @default [] */
  readonly requiredClaims: readonly string[];
  /** Key that verifies tokens. @default the public key of `privateKey` */
  readonly publicKey: KeyInput | undefined;
  /** Key that signs new tokens. */
  readonly privateKey: KeyInput | undefined;
  /** `kid` of new tokens, at most 256 characters. */
  readonly keyId: string | undefined;
  /** Address of a key set (RFC 7517 5): https, or a server on this machine. */
  readonly jwksUrl: string | undefined;
  /** Maximum age of a key set in seconds, after which it is fetched again. @default 600 */
  readonly jwksMaxAgeSecs: number;
  /** Minimum seconds between two fetches of a key set. @default 30 */
  readonly jwksCooldownSecs: number;
  /** Lifetime of a refresh token, in seconds. @default 1209600 */
  readonly refreshExpiration: number;
  /** Size of the cache of verified tokens; expiry and revocation are still checked. @default 0 */
  readonly cachedTokens: number;
  /** Maximum number of renewed logins, and separately of revoked ids, in the default store, which keeps them until their tokens expire; further ones get 503. @default 100000 */
  readonly maxLogins: number;
  /** Store of revoked tokens and renewed logins. @default the state that all workers of this host share; with Redis, all hosts */
  readonly store: TokenStore | undefined;
  /** Timeout of a call to `store` in milliseconds; the request then gets 503. @default 5000 */
  readonly storeTimeoutMs: number;
}

/** Maximum lifetime of a token in seconds: ten years. */
export const MAX_EXPIRATION = 315_360_000;

export const JwtConfig: ConfigRecord<JwtConfig> = configRecord("JwtConfig", {
  secret: optionalField("a non-empty string or bytes", isSecret),
  algorithm: oneOf<JwtAlgorithm>("HS256", algorithms),
  expiration: integer(3600, { min: 1, max: MAX_EXPIRATION }),
  headerName: checked("Authorization", "a header field name (RFC 9110 5.1)", isToken),
  scheme: checked("Bearer", "a token (RFC 9110 5.6.2), or empty", (value) => value === "" || isToken(value)),
  cookieName: optionalField("a cookie name", isToken),
  queryParam: optionalField("a non-empty string", isText),
  leewaySecs: integer(0, { min: 0, max: 60 }),
  issuer: optionalField("a non-empty string", isText),
  audience: optionalField(
    "a non-empty string or list of strings",
    (value) => isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
  ),
  requiredClaims: list<string>([], "claim names", isText),
  publicKey: optionalField("PEM text or a JSON Web Key", isKeyInput),
  privateKey: optionalField("PEM text or a JSON Web Key", isKeyInput),
  keyId: optionalField(`1 to ${MAX_KEY_ID_LENGTH} characters`, isKeyId),
  jwksUrl: optionalField("an absolute URL", (value) => isText(value) && URL.canParse(value)),
  jwksMaxAgeSecs: integer(600, { min: 1, max: 86_400 }),
  jwksCooldownSecs: integer(30, { min: 1, max: 3600 }),
  refreshExpiration: integer(1_209_600, { min: 1, max: MAX_EXPIRATION }),
  cachedTokens: integer(0, { min: 0, max: 100_000 }),
  maxLogins: integer(100_000, { min: 1, max: 10_000_000 }),
  store: optionalField("a token store with the methods revoke, isRevoked and consume", isTokenStore),
  storeTimeoutMs: integer(5000, { min: 1, max: 60_000 }),
} satisfies { readonly [Field in keyof JwtConfig]: FieldRule<JwtConfig[Field]> });

/** Returns a problem for each option that has no effect, because the option it belongs to is not set or replaces it. */
export const partProblems = (given: ConfigInput<JwtConfig>): Problem[] => {
  const input = isPlainObject(given) ? given : {}; // anything else is a problem of the record
  return [
    ...(input.jwksUrl === undefined
      ? unusedFields(JwtConfig, input, ["jwksMaxAgeSecs", "jwksCooldownSecs"], "jwksUrl")
      : []),
    ...(input.store === undefined
      ? unusedFields(JwtConfig, input, ["storeTimeoutMs"], "store")
      : unusedFields(JwtConfig, input, ["maxLogins"], "the store of JwtAuth itself")),
  ];
};

/** Creates the rule of an optional field; its error omits the value, which may be secret. */
function optionalField<T>(wanted: string, isValid: (value: unknown) => boolean): FieldRule<T | undefined> {
  return secret(checked<T | undefined>(undefined, wanted, isValid));
}

function isTokenStore(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    ["revoke", "isRevoked", "consume"].every((name) => name in value)
  );
}

function isSecret(value: unknown): boolean {
  return (typeof value === "string" || value instanceof Uint8Array) && value.length > 0;
}

function isToken(value: unknown): boolean {
  return typeof value === "string" && /^[!#$%&'*+.^_`|~\w-]{1,100}$/.test(value);
}

function isKeyId(value: unknown): boolean {
  return isText(value) && value.length <= MAX_KEY_ID_LENGTH;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isKeyInput(value: unknown): boolean {
  return isText(value) || (typeof value === "object" && value !== null && !Array.isArray(value));
}
