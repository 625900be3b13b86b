import { checked, type ConfigRecord, configRecord, flag, integer, list } from "@framework/core/feature";

/** Options of `enableCors`. */
export interface CorsConfig {
  /**
   * Origins whose pages may read replies, compared byte for byte: `https://app.example`, with any non-default port; `null` for opaque origins;
   * `*` alone for all. @default ["*"]
   */
  readonly origins: readonly string[];
  /** Methods that a preflight allows. @default ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"] */
  readonly methods: readonly string[];
  /**
   * Request header fields that a preflight allows, in addition to fields that features of the app read.
   *
   * @default ["Content-Type", "Authorization", "Accept", "Origin", "X-Requested-With"]
   */
  readonly headers: readonly string[];
  /** Reply header fields that pages may read, in addition to safelisted fields and fields that features of the app set. @default [] */
  readonly exposeHeaders: readonly string[];
  /** Seconds that a browser caches a preflight. @default 86400 */
  readonly maxAge: number;
  /**
   * Whether pages may send cookies and other credentials, and open WebSockets, whose handshakes carry cookies; requires explicit origins, methods and
   * fields. @default false
   */
  readonly credentials: boolean;
}

const MAX_ORIGINS = 1000;
const MAX_NAMES = 100;

export const CorsConfig: ConfigRecord<CorsConfig> = configRecord("CorsConfig", {
  origins: checked(
    ["*"],
    `a list of 1 to ${MAX_ORIGINS} origins as browsers send them (scheme://host[:port] in lower case, without a path), or null, or * alone`,
    isOriginList,
  ),
  methods: names(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"], "methods"),
  headers: names(["Content-Type", "Authorization", "Accept", "Origin", "X-Requested-With"], "field names"),
  exposeHeaders: names([], "field names"),
  maxAge: integer(86_400, { min: 0, max: 31_536_000 }),
  credentials: flag(false),
});

/** Rules across fields (Fetch standard, "CORS protocol and credentials"). */
export const credentialProblems = (config: CorsConfig): string[] => {
  if (!config.credentials) return [];
  return (["origins", "methods", "headers", "exposeHeaders"] as const)
    .filter((field) => config[field].includes("*"))
    .map((field) => `CorsConfig.${field} must list each value when credentials is true, but has *`);
};

function names(initial: readonly string[], noun: string) {
  const rule = list(initial, `at most ${MAX_NAMES} ${noun}, each a token (RFC 9110 5.6.2)`, isToken);
  return {
    ...rule,
    problem: (value: unknown) =>
      Array.isArray(value) && value.length > MAX_NAMES
        ? `must have at most ${MAX_NAMES} ${noun}`
        : rule.problem(value),
  };
}

function isToken(value: unknown): boolean {
  return typeof value === "string" && /^[!#$%&'*+.^_`|~\w-]{1,100}$/.test(value);
}

function isOriginList(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_ORIGINS) return false;
  if (value.includes("*")) return value.length === 1;
  return value.every((item) => item === "null" || isOrigin(item));
}

/** Whether a value is a serialised origin (RFC 6454 6.2), as browsers send it. */
function isOrigin(value: unknown): boolean {
  if (typeof value !== "string" || value.includes("*") || !URL.canParse(value)) return false;
  const { protocol, host, origin } = new URL(value);
  // URL reports "null" for schemes of apps and extensions; browsers send their origins as written.
  return value === (origin === "null" ? `${protocol}//${host}` : origin) && host !== "";
}
