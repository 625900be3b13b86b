import type { RouteInfo } from "@framework/core";
import type { JsonSchema } from "./json-schema.ts";
import type { Reference, Reply } from "./openapi-document.ts";

/** Inputs that determine the implied replies of a route. */
export interface RouteFacts {
  readonly route: RouteInfo;
  /** The `enableX` methods that were called on the app. */
  readonly switchedOn: ReadonlySet<string>;
  /** Whether the document lists a body for the route. */
  readonly takesBody: boolean;
  readonly hasPathParams: boolean;
  /** Timeout of the handler in seconds; 0 for none. */
  readonly handlerSecs: number;
}

interface ImpliedReply {
  readonly status: number;
  /** Name under `components.responses`. */
  readonly name: string;
  readonly description: string;
  readonly when: (facts: RouteFacts) => boolean;
  readonly headers?: Reply["headers"];
}

const retryAfter: Reply["headers"] = {
  "Retry-After": { description: "Seconds until a new attempt.", schema: { type: "integer", minimum: 1 } },
};

const challenge: Reply["headers"] = {
  "WWW-Authenticate": { description: "How to authenticate (RFC 9110 11.6.1).", schema: { type: "string" } },
};

/**
 * Error replies of the framework and its features, with their conditions. A wrong method has no row: its 405 is the reply of an operation that
 * does not exist.
 */
const errors: readonly ImpliedReply[] = [
  { status: 400, name: "BadRequest", description: "The request is malformed.", when: () => true },
  {
    status: 401,
    name: "Unauthorized",
    description: "Credentials are missing, wrong or expired.",
    headers: challenge,
    when: ({ route }) => route.auth.length > 0 || isGuarded(route),
  },
  {
    status: 403,
    name: "Forbidden",
    description: "The caller may not do this.",
    when: ({ route, switchedOn }) => isGuarded(route) || (switchedOn.has("enableCsrf") && !isSafe(route)),
  },
  {
    status: 404,
    name: "NotFound",
    description: "There is no such resource.",
    when: ({ hasPathParams }) => hasPathParams,
  },
  {
    status: 413,
    name: "PayloadTooLarge",
    description: "The body is larger than the limit.",
    when: ({ takesBody }) => takesBody,
  },
  {
    status: 415,
    name: "UnsupportedMediaType",
    description: "The body has an unsupported type or coding.",
    when: ({ takesBody }) => takesBody,
  },
  {
    status: 422,
    name: "ValidationFailed",
    description: "The input does not match its schema; `errors` lists every place.",
    when: ({ route: { options } }) => (options.params ?? options.query ?? options.body) !== undefined,
  },
  {
    status: 429,
    name: "TooManyRequests",
    description: "The rate limit is used up.",
    headers: retryAfter,
    when: ({ route, switchedOn }) => switchedOn.has("enableRateLimit") && !leavesOut(route, "rateLimit"),
  },
  {
    status: 503,
    name: "ServiceUnavailable",
    description: "The circuit is open.",
    headers: retryAfter,
    when: ({ route, switchedOn }) => switchedOn.has("enableCircuitBreaker") && !leavesOut(route, "breaker"),
  },
  {
    status: 504,
    name: "GatewayTimeout",
    description: "The handler timed out, or the reply is not in the cache (`only-if-cached`).",
    when: ({ route, switchedOn, handlerSecs }) => handlerSecs > 0 || isCached(route, switchedOn),
  },
];

const notModified: ImpliedReply = {
  status: 304,
  name: "NotModified",
  description: "The client has the current version.",
  when: ({ route, switchedOn }) =>
    isRead(route) && (switchedOn.has("enableEtag") || isCached(route, switchedOn)),
};

const rows: readonly ImpliedReply[] = [notModified, ...errors];

/** Statuses that a route can return without its handler. */
export const impliedStatuses = (facts: RouteFacts): number[] =>
  rows.filter(({ when }) => when(facts)).map(({ status }) => status);

/** Whether the route documents an implied status itself, which then replaces the implied reply. */
export const isHandlers = (status: number): boolean => status === 404;

/** The reference of an implied reply. */
export const impliedReference = (status: number): Reference => ({
  $ref: `#/components/responses/${rows.find((row) => row.status === status)?.name ?? status}`,
});

/** What an implied reply is about, `null` for a status that is not implied. */
export const impliedDescription = (status: number): string | null =>
  rows.find((row) => row.status === status)?.description ?? null;

/** The referenced replies, for the statuses that some route implies. */
export const impliedReplies = (statuses: ReadonlySet<number>): Record<string, Reply> =>
  Object.fromEntries(
    rows
      .filter(({ status }) => statuses.has(status))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((row) => [row.name, toReply(row)]),
  );

const toReply = ({ status, description, headers }: ImpliedReply): Reply => ({
  description,
  ...(headers === undefined ? {} : { headers }),
  ...(status < 400
    ? {}
    : {
        content: {
          "application/json": { schema: errorReference },
          "application/problem+json": { schema: errorReference },
        },
      }),
});

/** Reference of the one schema of errors. */
export const errorReference: JsonSchema = { $ref: "#/components/schemas/Error" };

/** Bodies of errors. Exception handlers may leave members out, but an error says what it is. */
export const errorSchema: JsonSchema = {
  type: "object",
  properties: {
    error: { type: "string", description: "What kind of error it is." },
    detail: { type: "string", description: "One sentence on what is wrong." },
    status: { type: "integer", description: "The status of the reply." },
    errors: {
      type: "array",
      description: "Every place that does not match its schema.",
      items: {
        type: "object",
        properties: {
          loc: { type: "array", items: { type: ["string", "integer"] } },
          msg: { type: "string" },
          type: { type: "string" },
          expected: { type: "string" },
          received: { type: "string" },
        },
        required: ["loc", "msg", "type"],
      },
    },
    retry_after: { type: "integer", description: "Seconds until a new attempt." },
  },
  required: ["error"],
};

const isGuarded = ({ guards, options }: RouteInfo): boolean =>
  guards.length > 0 || (options.guards ?? []).length > 0;

const isRead = ({ method }: RouteInfo): boolean => method === "GET" || method === "HEAD";

const isSafe = (route: RouteInfo): boolean =>
  isRead(route) || route.method === "OPTIONS" || route.method === "QUERY";

const isCached = (route: RouteInfo, switchedOn: ReadonlySet<string>): boolean =>
  switchedOn.has("enableCaching") && isRead(route) && !leavesOut(route, "cache");

/** Whether a route says `false` for the option of a feature. */
const leavesOut = ({ options }: RouteInfo, name: string): boolean =>
  Object.entries(options).some(([key, value]) => key === name && value === false);
