import type { Clock } from "@framework/core/feature";
import { secondsOf } from "./cache-control.ts";
import type { ReplyFacts } from "./reply-facts.ts";

/** What the rules look at besides the reply's fields. */
export interface Circumstances {
  readonly status: number;
  /** Whether the request, or what ran behind it, carries an identity. */
  readonly identity: boolean;
  /** Whether the route lets clients with an identity share replies. */
  readonly shared: boolean;
  /** Seconds that a reply without freshness of its own stays fresh. */
  readonly ttlSecs: number;
  /** Seconds that a stale reply may be served while it is refreshed. */
  readonly staleSecs: number;
}

/** How long a storable reply may be used, in milliseconds, and by whom. */
export interface Lifetime {
  readonly bornMs: number;
  readonly freshMs: number;
  readonly staleMs: number;
  readonly errorMs: number;
  readonly validates: boolean;
  readonly shareable: boolean;
  /** Whether the reply says nothing of its freshness to other caches. */
  readonly isSilent: boolean;
  /** How long a store has to hold it. */
  readonly holdMs: number;
}

/** Statuses besides 2xx that may be stored with explicit freshness. */
const finalStatuses: ReadonlySet<number> = new Set([300, 301, 302, 307, 308, 404, 405, 410, 414, 501]);
/** How long a stale reply that has a validator is held for revalidation. */
const validatorHoldMs = 3_600_000;

/** The lifetime of a reply that a shared cache may store (RFC 9111 3), `null` for one that it may not. */
export const lifetimeOf = (facts: ReplyFacts, given: Circumstances, clock: Clock): Lifetime | null => {
  const { directives, etag, lastModified } = facts;
  const hasValidator = etag !== null || lastModified !== null;
  if (facts.setsCookies || facts.vary.includes("*")) return null;
  if (directives.has("no-store") || directives.has("private")) return null;
  const shareable = given.shared || directives.has("public") || directives.has("s-maxage");
  if (given.identity && !shareable) return null;

  const wallMs = clock.date();
  const explicit = explicitSeconds(facts, wallMs);
  if (!isStorable(given.status, explicit !== null && facts.ttlSecs === null)) return null;
  const freshMs = 1000 * (ttlOf(facts) ?? explicit ?? given.ttlSecs);
  const { staleMs, errorMs } = staleness(facts, given);
  const validates = directives.has("no-cache");
  const apparentAge = facts.date === null ? 0 : Math.max(0, wallMs - facts.date);
  const ageMs = Math.max(apparentAge, 1000 * facts.ageSecs); // RFC 9111 4.2.3; the handler's own delay counts from here
  const usableMs = Math.max(0, validates ? 0 : freshMs - ageMs + Math.max(staleMs, errorMs));
  const holdMs = hasValidator
    ? Math.max(0, freshMs - ageMs) + Math.max(staleMs, errorMs, validatorHoldMs)
    : usableMs;
  if (holdMs === 0) return null;
  const isSilent = explicit === null;
  return { bornMs: clock.now() - ageMs, freshMs, staleMs, errorMs, validates, shareable, isSilent, holdMs };
};

const isStorable = (status: number, explicit: boolean): boolean =>
  status >= 200 && status <= 299 ? status !== 206 : explicit && finalStatuses.has(status);

/** Freshness in seconds that the reply states itself, most specific first (RFC 9111 4.2.1). */
const explicitSeconds = ({ directives, expires, date }: ReplyFacts, wallMs: number): number | null => {
  const stated = secondsOf(directives, "s-maxage") ?? secondsOf(directives, "max-age");
  if (stated !== null || expires === null) return stated;
  return expires === "malformed" ? 0 : Math.max(0, (expires - (date ?? wallMs)) / 1000);
};

const ttlOf = ({ ttlSecs }: ReplyFacts): number | null => (ttlSecs === "malformed" ? 0 : ttlSecs);

/** Directives that forbid stale use win; naming a time is a permission that `s-maxage` alone does not give (RFC 9111 4.2.4). */
const staleness = (
  { directives }: ReplyFacts,
  { staleSecs }: Circumstances,
): Pick<Lifetime, "staleMs" | "errorMs"> => {
  const forbidden =
    directives.has("must-revalidate") || directives.has("proxy-revalidate") || directives.has("no-cache");
  if (forbidden) return { staleMs: 0, errorMs: 0 };
  const byDefault = directives.has("s-maxage") ? 0 : staleSecs;
  const staleMs = 1000 * (secondsOf(directives, "stale-while-revalidate") ?? byDefault);
  return { staleMs, errorMs: 1000 * (secondsOf(directives, "stale-if-error") ?? 0) };
};
