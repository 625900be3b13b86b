import { checked, type ConfigRecord, configRecord, flag, oneOf } from "@framework/core/feature";
import type { CspDirectives } from "./content-security-policy.ts";

/** Strict-Transport-Security (RFC 6797). */
export interface HstsOptions {
  /** Seconds for which a browser uses only TLS; 0 revokes an earlier value. */
  readonly maxAge: number;
  /** Whether it applies to all subdomains. @default false */
  readonly includeSubDomains?: boolean;
  /** Whether browsers may preload it; requires a `maxAge` of a year or more and `includeSubDomains`. @default false */
  readonly preload?: boolean;
}

const referrerPolicies = [
  "no-referrer",
  "no-referrer-when-downgrade",
  "origin",
  "origin-when-cross-origin",
  "same-origin",
  "strict-origin",
  "strict-origin-when-cross-origin",
  "unsafe-url",
] as const;

const openerPolicies = [
  "same-origin",
  "same-origin-allow-popups",
  "noopener-allow-popups",
  "unsafe-none",
] as const;

/** Options of `enableSecurityHeaders`; `false` omits a field. */
export interface SecurityHeadersConfig {
  /** Directives that restrict what a page may load and do. @default own origin only, no plugins, no `<base>` */
  readonly contentSecurityPolicy: CspDirectives | false;
  /** Whether violations are only reported, for testing a policy. @default false */
  readonly reportOnly: boolean;
  /** Sent over TLS only. @default { maxAge: 31536000 }, a year */
  readonly strictTransportSecurity: HstsOptions | false;
  /** Whether `nosniff` is sent: browsers must respect the media type of a body. @default true */
  readonly contentTypeOptions: boolean;
  /** Pages that may embed a page in a frame; also sets `frame-ancestors` of a policy without it. @default "DENY" */
  readonly frameOptions: "DENY" | "SAMEORIGIN" | false;
  /** Part of its URL that a page sends as `Referer`. @default "strict-origin-when-cross-origin" */
  readonly referrerPolicy: (typeof referrerPolicies)[number] | false;
  /** Windows that share a browsing context group with the page. @default "same-origin" */
  readonly crossOriginOpenerPolicy: (typeof openerPolicies)[number] | false;
  /** Requires cross-origin resources to allow embedding. Disabled by default, because it breaks pages with cross-origin images. @default false */
  readonly crossOriginEmbedderPolicy: "require-corp" | "credentialless" | "unsafe-none" | false;
  /** Pages that may embed a reply; pages that CORS allows may read it anyway. @default "same-origin" */
  readonly crossOriginResourcePolicy: "same-origin" | "same-site" | "cross-origin" | false;
  /**
   * Browser features and the origins that may use them: `[]` for none, `["self"]`, `["*"]`, origins. @default { camera: [], geolocation: [],
   * microphone: [] }
   */
  readonly permissionsPolicy: Readonly<Record<string, readonly string[]>> | false;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const areStrings = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

const isHsts = (value: unknown): boolean => {
  if (value === false) return true;
  if (!isRecord(value)) return false;
  const { maxAge, includeSubDomains = false, preload = false, ...rest } = value;
  if (!Number.isSafeInteger(maxAge) || (maxAge as number) < 0 || Object.keys(rest).length > 0) return false;
  if (typeof includeSubDomains !== "boolean" || typeof preload !== "boolean") return false;
  return !preload || (includeSubDomains && (maxAge as number) >= 31_536_000);
};

const isPermissions = (value: unknown): boolean =>
  value === false ||
  (isRecord(value) &&
    Object.entries(value).every(
      ([name, origins]) =>
        /^[a-z][a-z\d-]{0,63}$/.test(name) &&
        Array.isArray(origins) &&
        origins.every((item) => item === "*" || item === "self" || item === "src" || isHttpOrigin(item)),
    ));

/** Whether a value is an origin as browsers write it. */
export const isHttpOrigin = (value: unknown): value is string =>
  typeof value === "string" &&
  /^https?:\/\//.test(value) &&
  URL.canParse(value) &&
  new URL(value).origin === value;

/** Validates the options of `enableSecurityHeaders` and fills in their defaults. */
export const SecurityHeadersConfig: ConfigRecord<SecurityHeadersConfig> = configRecord<SecurityHeadersConfig>(
  "SecurityHeadersConfig",
  {
    contentSecurityPolicy: checked<CspDirectives | false>(
      {
        "default-src": ["'self'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "object-src": ["'none'"],
      },
      "false or an object with a list of sources per directive",
      (value) =>
        value === false ||
        (isRecord(value) && Object.keys(value).length > 0 && Object.values(value).every(areStrings)),
    ),
    reportOnly: flag(false),
    strictTransportSecurity: checked<HstsOptions | false>(
      { maxAge: 31_536_000 },
      "false or { maxAge, includeSubDomains?, preload? }, maxAge in whole seconds; preload requires a year and includeSubDomains",
      isHsts,
    ),
    contentTypeOptions: flag(true),
    frameOptions: wordOrFalse("DENY", ["DENY", "SAMEORIGIN"]),
    referrerPolicy: wordOrFalse("strict-origin-when-cross-origin", referrerPolicies),
    crossOriginOpenerPolicy: wordOrFalse("same-origin", openerPolicies),
    crossOriginEmbedderPolicy: wordOrFalse(false, ["require-corp", "credentialless", "unsafe-none"]),
    crossOriginResourcePolicy: wordOrFalse("same-origin", ["same-origin", "same-site", "cross-origin"]),
    permissionsPolicy: checked<Readonly<Record<string, readonly string[]>> | false>(
      { camera: [], geolocation: [], microphone: [] },
      'false or an object that gives each feature a list of "self", "src", "*" and origins',
      isPermissions,
    ),
  },
);

function wordOrFalse<const T extends string>(initial: T | false, words: readonly T[]) {
  const rule = oneOf(words[0] as T, words);
  return {
    default: initial,
    problem: (value: unknown) => {
      const problem = value === false ? null : rule.problem(value);
      return problem === null ? null : `${problem}, or false`;
    },
  };
}
