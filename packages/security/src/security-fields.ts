import { compilePolicy, type Policy } from "./content-security-policy.ts";
import type { SecurityHeadersConfig } from "./security-headers-config.ts";

/** The fields of one configuration, computed once: name, value, name, value … */
export interface SecurityFields {
  /** Fields of every reply. */
  readonly always: readonly string[];
  /** Additional fields of replies over TLS. */
  readonly overTls: readonly string[];
  readonly policyName: string;
  readonly policy: Policy | null;
}

export const securityFields = (config: SecurityHeadersConfig): SecurityFields => {
  const { strictTransportSecurity: hsts, permissionsPolicy: permissions } = config;
  const policy = policyOf(config);
  const policyName = config.reportOnly ? "content-security-policy-report-only" : "content-security-policy";
  const always = [
    [policyName, policy !== null && policy.withNonce === null && policy.plain],
    ["x-content-type-options", config.contentTypeOptions && "nosniff"],
    ["x-frame-options", config.frameOptions],
    ["referrer-policy", config.referrerPolicy],
    ["cross-origin-opener-policy", config.crossOriginOpenerPolicy],
    ["cross-origin-embedder-policy", config.crossOriginEmbedderPolicy],
    ["cross-origin-resource-policy", config.crossOriginResourcePolicy],
    ["permissions-policy", permissions !== false && permissionsText(permissions)],
  ] as const;
  const overTls = [["strict-transport-security", hsts !== false && hstsText(hsts)]] as const;
  return { always: presentFields(always), overTls: presentFields(overTls), policyName, policy };
};

const presentFields = (fields: readonly (readonly [string, string | false])[]): readonly string[] =>
  Object.freeze(fields.flatMap(([name, value]) => (value === false || value === "" ? [] : [name, value])));

const ancestors = { DENY: ["'none'"], SAMEORIGIN: ["'self'"] } as const;

/** Derives `frame-ancestors` from `frameOptions` unless the policy has it: browsers that support it ignore X-Frame-Options. */
const policyOf = ({ contentSecurityPolicy: given, frameOptions }: SecurityHeadersConfig): Policy | null => {
  if (given === false) return null;
  const framed = frameOptions === false ? {} : { "frame-ancestors": ancestors[frameOptions] };
  return compilePolicy({ ...framed, ...given });
};

const hstsText = ({ maxAge, includeSubDomains = false, preload = false }: Hsts): string =>
  `max-age=${maxAge}${includeSubDomains ? "; includeSubDomains" : ""}${preload ? "; preload" : ""}`;

type Hsts = Exclude<SecurityHeadersConfig["strictTransportSecurity"], false>;

/** Serialises a Permissions-Policy as a structured field (RFC 9651): `camera=(), fullscreen=(self "https://a.example")`. */
const permissionsText = (permissions: Readonly<Record<string, readonly string[]>>): string =>
  Object.entries(permissions)
    .map(([name, origins]) => {
      if (origins.includes("*")) return `${name}=*`;
      return `${name}=(${origins.map((item) => (item.includes(":") ? `"${item}"` : item)).join(" ")})`;
    })
    .join(", ");
