import type { Clock } from "@framework/core/feature";
import { secondsOf } from "@framework/core/http";
import type { ReplyFacts } from "./reply-facts.ts";

/** Input of the rules besides the reply's fields. */
export interface StoringContext {
  readonly status: number;
  /** Whether the request has an identity, before or after the handler. */
  readonly identity: boolean;
  /** Whether requests with an identity may use stored replies: on `shared` routes, or if `per` returned a caller. */
  readonly shared: boolean;
  /** Whether the reply is stored for one caller, as in a private cache. */
  readonly own: boolean;
  /** Seconds for which a reply without explicit freshness is fresh. */
  readonly ttlSecs: number;
  /** Seconds for which a stale reply may be served while it is refreshed. */
  readonly staleSecs: number;
}

/** Lifetime of a storable reply in milliseconds, and whether clients with an identity may share it. */
export interface Lifetime {
  readonly bornMs: number;
  readonly freshMs: number;
  readonly staleMs: number;
  readonly errorMs: number;
  readonly validates: boolean;
  readonly shareable: boolean;
  /** Whether the reply has no explicit freshness. */
  readonly isImplicit: boolean;
  /** `X-Cache-TTL` in seconds; `null` if absent. */
  readonly ttlSecs: number | null;
  /** Milliseconds for which the store holds it. */
  readonly holdMs: number;
}

/** Statuses whose caching rules this cache implements, for `must-understand`. */
export const understoodStatuses: ReadonlySet<number> = new Set([
  200, 201, 202, 203, 204, 300, 301, 302, 307, 308, 404, 405, 410, 414, 501,
]);
/** Statuses that are never stored, because they depend on more than the request's key; RFC 6585 forbids storing the statuses in `rate`. */
const dependentStatuses = {
  conditions: [206, 304, 412, 416, 417],
  caller: [401, 403, 407],
  connection: [408, 411, 421, 425, 426],
  rate: [428, 429, 431, 511],
};
const unstoredStatuses: ReadonlySet<number> = new Set(Object.values(dependentStatuses).flat());
/** Minimum time for which a stale reply with a validator is held for revalidation. */
const VALIDATOR_HOLD_MS = 3_600_000;

/** Returns the lifetime of a reply, `null` if a shared cache must not store it (RFC 9111 3). */
export const lifetimeOf = (facts: ReplyFacts, given: StoringContext, clock: Clock): Lifetime | null => {
  const { directives, etag, lastModified } = facts;
  const hasValidator = etag !== null || lastModified !== null;
  if (facts.setsCookies || facts.vary.includes("*")) return null;
  if (isForbidden(facts, given)) return null;
  const shareable = given.shared || directives.has("public") || directives.has("s-maxage");
  if (given.identity && !shareable) return null;

  const wallMs = clock.date();
  const explicit = explicitSeconds(facts, wallMs);
  if (!isStorable(given.status, explicit !== null && facts.ttlSecs === null)) return null;
  const ttlSecs = ttlOf(facts);
  const freshMs = 1000 * (ttlSecs ?? explicit ?? given.ttlSecs);
  const { staleMs, errorMs } = staleness(facts, given);
  const validates = directives.has("no-cache");
  const ageMs = ageOf(facts, wallMs);
  const usableMs = Math.max(0, validates ? 0 : freshMs - ageMs + Math.max(staleMs, errorMs));
  const holdMs = hasValidator
    ? Math.max(0, freshMs - ageMs) + Math.max(staleMs, errorMs, VALIDATOR_HOLD_MS)
    : usableMs;
  if (holdMs === 0) return null;
  const isImplicit = explicit === null;
  const bornMs = clock.now() - ageMs;
  return { bornMs, freshMs, staleMs, errorMs, validates, shareable, isImplicit, ttlSecs, holdMs };
};

/** Returns the `X-Cache-TTL` of a stored reply after a 304: the value of the 304, or the stored value if the 304 has no explicit freshness. */
export const freshenedTtl = (
  fresh: ReplyFacts,
  storedSecs: number | undefined,
  wallMs: number,
): ReplyFacts["ttlSecs"] => {
  if (fresh.ttlSecs !== null || explicitSeconds(fresh, wallMs) !== null) return fresh.ttlSecs;
  return storedSecs ?? null;
};

/** Returns the age of a reply in milliseconds (RFC 9111 4.2.3), without the time that the handler took. */
export const ageOf = ({ date, ageSecs }: ReplyFacts, wallMs: number): number =>
  Math.max(date === null ? 0 : Math.max(0, wallMs - date), 1000 * ageSecs);

/** `must-understand` replaces `no-store` for statuses that this cache understands, and forbids all others (RFC 9111 5.2.2.3). */
const isForbidden = ({ directives }: ReplyFacts, { status, own }: StoringContext): boolean => {
  if (directives.has("must-understand")) {
    if (!understoodStatuses.has(status)) return true;
  } else if (directives.has("no-store")) return true;
  return directives.has("private") && !own;
};

/** Whether a status may be stored: any with explicit freshness (RFC 9111 3), else 2xx. */
const isStorable = (status: number, explicit: boolean): boolean =>
  (explicit || (status >= 200 && status <= 299)) && !unstoredStatuses.has(status);

/** Returns the explicit freshness in seconds, from the most specific directive (RFC 9111 4.2.1); `null` if there is none. */
const explicitSeconds = ({ directives, expires, date }: ReplyFacts, wallMs: number): number | null => {
  const stated = secondsOf(directives, "s-maxage") ?? secondsOf(directives, "max-age");
  if (stated !== null || expires === null) return stated;
  return expires === "malformed" ? 0 : Math.max(0, (expires - (date ?? wallMs)) / 1000);
};

const ttlOf = ({ ttlSecs }: ReplyFacts): number | null => (ttlSecs === "malformed" ? 0 : ttlSecs);

/** Directives that forbid stale replies take precedence. `s-maxage` implies `proxy-revalidate`, unless the reply permits stale use explicitly (RFC 9111 4.2.4). */
const staleness = (
  { directives }: ReplyFacts,
  { staleSecs }: StoringContext,
): Pick<Lifetime, "staleMs" | "errorMs"> => {
  const forbidden =
    directives.has("must-revalidate") || directives.has("proxy-revalidate") || directives.has("no-cache");
  if (forbidden) return { staleMs: 0, errorMs: 0 };
  const byDefault = directives.has("s-maxage") ? 0 : staleSecs;
  const staleMs = 1000 * (secondsOf(directives, "stale-while-revalidate") ?? byDefault);
  return { staleMs, errorMs: 1000 * (secondsOf(directives, "stale-if-error") ?? 0) };
};
