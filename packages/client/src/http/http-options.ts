import { ConfigurationError } from "@framework/core";
import {
  type ConfigRecord,
  configRecord,
  decimal,
  flag,
  integer,
  list,
  optional,
} from "@framework/core/feature";
import { type CommonHeaders, headersProblem, isFieldName } from "./header-fields.ts";
import type { Fetch, OutgoingMiddleware } from "./outgoing-request.ts";

/** Options of `httpClient`. */
export interface HttpClientOptions {
  /** URL to which the paths of calls are appended, such as "https://stock.example/v1". */
  readonly baseUrl: string;
  /** Middleware around each call, the first outermost. @default none */
  readonly use?: readonly OutgoingMiddleware[];
  /** Header fields of calls to the base URL's origin; `undefined` counts as not given. @default none */
  readonly headers?: CommonHeaders;
  /**
   * Names of further header fields that are removed on a redirect to another origin; `Authorization`, `Proxy-Authorization`, `Cookie`,
   * `Host`, `Idempotency-Key`, `X-Request-ID` and the names of `headers` always are. @default none
   */
  readonly credentialHeaders?: readonly string[];
  /** Hosts that may be called, also by redirects; with the port unless it is the scheme's default. @default the host of `baseUrl` */
  readonly allowedHosts?: readonly string[];
  /** Hosts that get the request id and the idempotency key. @default the host of `baseUrl` */
  readonly trustedHosts?: readonly string[];
  /** Refuses private, loopback and link-local addresses, after the name is resolved; not with `fetch`. @default false */
  readonly publicAddressesOnly?: boolean;
  /** Maximum duration of one attempt in milliseconds, including redirects and body; for a stream until its header fields arrive. @default 30000 */
  readonly timeoutMs?: number;
  /** Maximum milliseconds to connect. @default 10000 */
  readonly connectTimeoutMs?: number;
  /** Maximum milliseconds between two parts of a body; not with `fetch`. @default 30000 */
  readonly idleTimeoutMs?: number;
  /** Maximum size of a reply in bytes; reading a larger one throws CLIENT_BODY_TOO_LARGE. Streams are not limited. @default 10 MiB */
  readonly maxReplyBytes?: number;
  /** Maximum number of redirects; 0 returns the redirect itself. @default 5 */
  readonly maxRedirects?: number;
  /** Maximum number of concurrent calls, which last until their bodies have ended; further calls throw CLIENT_TOO_MANY_CALLS. @default 256 */
  readonly maxCalls?: number;
  /** Maximum number of connections of each origin. @default 64 */
  readonly maxConnections?: number;
  /** Milliseconds for which an unused connection stays open. @default 4000 */
  readonly keepAliveMs?: number;
  /** Sends a request instead of sockets, such as `(request) => app.fetch(request)` in tests. It must not follow redirects. @default sockets */
  readonly fetch?: Fetch;
}

/** Checked options, with the defaults. */
export type CheckedHttpOptions = Required<Omit<HttpClientOptions, "baseUrl" | "fetch">> & {
  readonly fetch: Fetch | undefined;
};

const MAX_MS = 2_147_483_647;
const isFunction = (value: unknown): boolean => typeof value === "function";
const isHost = (value: unknown): boolean =>
  typeof value === "string" && /^[a-z0-9_.:[\]-]{1,255}$/.test(value);
const milliseconds = (initial: number) => decimal(initial, { min: 1, max: MAX_MS });

const record: ConfigRecord<Omit<HttpClientOptions, "baseUrl">> = configRecord("HttpClientOptions", {
  use: list<OutgoingMiddleware>([], "middleware: functions", isFunction),
  headers: { default: {}, namesParts: true, problem: headersProblem },
  credentialHeaders: list<string>([], "names of header fields", isFieldName),
  allowedHosts: optional(
    list<string>([], "hosts in lower case, such as stock.example or 127.0.0.1:8080", isHost),
  ),
  trustedHosts: optional(
    list<string>([], "hosts in lower case, such as stock.example or 127.0.0.1:8080", isHost),
  ),
  publicAddressesOnly: flag(false),
  timeoutMs: milliseconds(30_000),
  connectTimeoutMs: milliseconds(10_000),
  idleTimeoutMs: milliseconds(30_000),
  maxReplyBytes: integer(10_485_760, { min: 1 }),
  maxRedirects: integer(5, { min: 0, max: 20 }),
  maxCalls: integer(256, { min: 1, max: 1_000_000 }),
  maxConnections: integer(64, { min: 1, max: 10_000 }),
  keepAliveMs: milliseconds(4000),
  fetch: optional({ problem: (value: unknown) => (isFunction(value) ? null : "must be a function") }),
}) as ConfigRecord<Omit<HttpClientOptions, "baseUrl">>; // the types differ: options may be absent, the record has defaults

const BAD_URL =
  "HttpClientOptions.baseUrl must be an absolute http or https URL without credentials, query or fragment";
const UNCHECKED_ADDRESSES =
  "HttpClientOptions.publicAddressesOnly is checked when a socket connects, but `fetch` replaces the sockets; remove one of the two options";

/** Returns the base URL, and the options with defaults. @throws ConfigurationError CORE_BAD_CONFIG with every mistake */
export const checkHttpOptions = ({
  baseUrl,
  ...given
}: HttpClientOptions): { readonly base: URL; readonly options: CheckedHttpOptions } => {
  const { value, problems } = record.read(given);
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  const isValidUrl =
    base !== null &&
    /^https?:$/.test(base.protocol) &&
    base.username + base.password + base.search + base.hash === "";
  const allProblems = [...problems, ...(isValidUrl ? [] : [BAD_URL])];
  if (value.publicAddressesOnly === true && value.fetch !== undefined) allProblems.push(UNCHECKED_ADDRESSES);
  if (base === null || allProblems.length > 0)
    throw new ConfigurationError(allProblems.map((message) => ({ code: "CORE_BAD_CONFIG", message })));
  const hosts = {
    allowedHosts: value.allowedHosts ?? [base.host],
    trustedHosts: value.trustedHosts ?? [base.host],
  };
  return { base, options: { ...value, ...hosts } as CheckedHttpOptions };
};
