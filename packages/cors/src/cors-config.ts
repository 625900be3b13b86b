import { checked, type ConfigRecord, configRecord, flag, integer, list } from "@framework/core/feature";

/** What `enableCors` may be told. */
export interface CorsConfig {
  /**
   * Origins whose pages may read replies, compared byte for byte: `https://app.example`, with the port where it is not the scheme's own; `null` for pages
   * without one; `*` alone for all. @default ["*"]
   */
  readonly origins: readonly string[];
  /** Methods that a preflight allows. @default ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"] */
  readonly methods: readonly string[];
  /** Request fields that a preflight allows. @default ["Content-Type", "Authorization", "Accept", "Origin", "X-Requested-With"] */
  readonly headers: readonly string[];
  /** Reply fields that pages may read besides the few that they always may. @default [] */
  readonly exposeHeaders: readonly string[];
  /** Seconds that a browser keeps a preflight's answer. @default 86400 */
  readonly maxAge: number;
  /** Whether pages may send cookies and other credentials; asks for listed origins, methods and fields. @default false */
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

/** What no single field shows to be wrong (Fetch standard, "CORS protocol and credentials"). */
export const credentialProblems = (config: CorsConfig): string[] => {
  if (!config.credentials) return [];
  return (["origins", "methods", "headers", "exposeHeaders"] as const)
    .filter((field) => config[field].includes("*"))
    .map((field) => `CorsConfig.${field} must list each value when credentials is true, but has *`);
};

function names(initial: readonly string[], what: string) {
  const rule = list(initial, `at most ${MAX_NAMES} ${what}, each a token (RFC 9110 5.6.2)`, isToken);
  return {
    ...rule,
    problem: (value: unknown) =>
      Array.isArray(value) && value.length > MAX_NAMES
        ? `must have at most ${MAX_NAMES} ${what}`
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

/** Whether a browser could send exactly this: what it sends is a serialised origin (RFC 6454 6.2). */
function isOrigin(value: unknown): boolean {
  if (typeof value !== "string" || value.includes("*") || !URL.canParse(value)) return false;
  const { protocol, host, origin } = new URL(value);
  // The origin of schemes that browsers do not know, as of apps and extensions, is "null"; they are sent as written.
  return value === (origin === "null" ? `${protocol}//${host}` : origin) && host !== "";
}
