import { type Endpoint, FrameworkError, type HttpRequest, type RouteInfo } from "@framework/core";
import { nearest, describeInvalid } from "@framework/core/feature";
import type { RouteCache } from "./route-cache.ts";
import { filledTag, isTag, tagParams } from "./tags.ts";

/** Caching of the requests of one route. */
export interface RoutePlan {
  readonly ttlSecs: number;
  readonly staleSecs: number;
  readonly clientTtlSecs: number;
  readonly shared: boolean;
  /** Lower-case names. */
  readonly vary: readonly string[];
  readonly tagsFor: (request: HttpRequest) => readonly string[];
  /** Returns the additional part of the key. @throws CACHE_BAD_KEY */
  readonly keyFor: ((request: HttpRequest) => string) | null;
  /** Returns the id of the caller whose reply this is, `null` for none. @throws CACHE_BAD_CALLER */
  readonly callerOf: (request: HttpRequest) => string | number | null;
}

/** Default seconds of routes. */
export interface RouteDefaults {
  readonly ttl: number;
  readonly clientTtlSecs: number;
  readonly staleSecs: number;
}

const noTags: readonly string[] = [];

/** Returns the plan of a route, `null` for one that is never cached: a feature's endpoint, or `cache: false`. */
export const planOf = (
  { addedBy }: Endpoint,
  option: RouteCache | false | undefined,
  defaults: RouteDefaults,
): RoutePlan | null => {
  const cache = option ?? {};
  if (addedBy !== null || cache === false) return null;
  const {
    ttl = defaults.ttl,
    staleSecs = defaults.staleSecs,
    clientTtlSecs = defaults.clientTtlSecs,
    shared = false,
    tags = noTags,
    vary = noTags,
  } = cache;
  return {
    ttlSecs: ttl,
    staleSecs,
    clientTtlSecs,
    shared,
    vary: vary.map((name) => name.toLowerCase()),
    tagsFor: tags.length === 0 ? () => noTags : ({ params }) => tags.map((tag) => filledTag(tag, params)),
    keyFor: keyBy(cache.key),
    callerOf: callerBy(cache.per),
  };
};

/** Wraps the route's `key`. It throws for other values, which would give all requests the same key: a promise is {} in JSON, and `undefined` is omitted. */
const keyBy = (key: RouteCache["key"]): RoutePlan["keyFor"] => {
  if (key === undefined) return null;
  return (request) => {
    const part: unknown = key(request);
    if (typeof part === "string" || Number.isFinite(part)) return String(part);
    throw new FrameworkError(
      "CACHE_BAD_KEY",
      `cache: key must return a string or a finite number, not ${describeInvalid(part)}`,
    );
  };
};

const callerBy = (per: RouteCache["per"]): RoutePlan["callerOf"] => {
  if (per === undefined) return () => null;
  return (request) => {
    const id = per(request);
    if (id === undefined || id === null || id === "") return null;
    if (typeof id === "string" || Number.isFinite(id)) return id;
    // Such values would give all callers the same key: NaN is null in JSON, a promise {}.
    throw new FrameworkError(
      "CACHE_BAD_CALLER",
      `cache: per must return a string, a finite number or null, not ${describeInvalid(id)}`,
    );
  };
};

const names: readonly string[] = Object.keys({
  ttl: true,
  clientTtlSecs: true,
  per: true,
  tags: true,
  vary: true,
  key: true,
  shared: true,
  staleSecs: true,
} satisfies Record<keyof RouteCache, true>);

const isSeconds = (value: unknown): boolean => Number.isFinite(value) && (value as number) >= 0;
const isFieldName = (value: unknown): boolean =>
  typeof value === "string" && /^[\w!#$%&'*+\-.^`|~]+$/.test(value);
const isListOf = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem);

/** Returns the mistakes in a route's `cache` option, `null` for a valid one. */
export const cacheOptionProblem = (
  value: RouteCache | false,
  { path }: Pick<RouteInfo, "path">,
): string | null => {
  if (value === false) return null;
  if (typeof value !== "object" || value === null) return "must be false or an object";
  const problems = [...unknownProblems(value), ...fieldProblems(value), ...tagProblems(value, path)];
  return problems.length === 0 ? null : problems.join("; ");
};

const unknownProblems = (value: RouteCache): string[] => {
  const unknown = Object.keys(value).filter((name) => !names.includes(name));
  if (unknown.length === 0) return [];
  const named = unknown.map((name) => JSON.stringify(name) + nearOf(name)).join(", ");
  return [
    `has ${unknown.length === 1 ? "an unknown field" : "unknown fields"} ${named}; known fields: ${names.join(", ")}`,
  ];
};

const nearOf = (name: string): string => {
  const [near] = nearest(name, names);
  return near === undefined ? "" : ` (did you mean ${JSON.stringify(near)}?)`;
};

const fieldProblems = (value: RouteCache): string[] => {
  const { shared = false, vary = [], key, per } = value;
  const problems = (["ttl", "staleSecs", "clientTtlSecs"] as const)
    .filter((name) => value[name] !== undefined && !isSeconds(value[name]))
    .map((name) => `${name} must be a number of seconds, 0 or more`);
  if (typeof shared !== "boolean") problems.push("shared must be true or false");
  if (key !== undefined && typeof key !== "function") problems.push("key must be a function of the request");
  if (per !== undefined && typeof per !== "function") problems.push("per must be a function of the request");
  if (typeof per === "function" && shared === true)
    problems.push(
      "per and shared cannot be combined: per stores a reply for each caller, shared one for all",
    );
  if (!isListOf(vary, isFieldName)) problems.push("vary must be a list of request field names");
  else if (vary.includes("*"))
    problems.push('vary has "*", and such replies are never stored: write cache: false');
  return problems;
};

const tagProblems = ({ tags = [] }: RouteCache, path: string): string[] => {
  if (!isListOf(tags, isTag)) return ["tags must be a list of strings of 1 to 1024 characters"];
  const missing = new Set(tags.flatMap(tagParams).filter((name) => !hasParam(path, name)));
  return [...missing].map((name) => `tags use {${name}}, which is not a parameter of the path`);
};

const hasParam = (path: string, name: string): boolean =>
  path.includes(`{${name}}`) || path.includes(`{*${name}}`);
