import type { ResponseHeaders } from "@framework/core/feature";
import type { Limit } from "./limit.ts";
import type { Quota } from "./quota.ts";

/** Whole seconds until a denied client may try again, at least 1. */
export const retryAfterSecs = ({ waitMs }: Quota, { adaptive }: Limit): number =>
  Math.max(1, Math.ceil((adaptive === null ? waitMs : adaptive.longestWaitMs(waitMs)) / 1000));

/**
 * Writes `RateLimit-Policy`, `RateLimit` (draft-ietf-httpapi-ratelimit-headers) and the `X-RateLimit-*` fields, which agree.
 *
 * While requests remain, `t` is when the whole quota is there again; once none does, when the next one is.
 */
export const writeQuota = (headers: ResponseHeaders, limit: Limit, quota: Quota, dateMs: number): void => {
  const { remaining, resetMs } = quota;
  const secs = remaining > 0 ? Math.ceil(resetMs / 1000) : retryAfterSecs(quota, limit);
  writePolicy(headers, limit);
  headers.set("ratelimit", `${limit.field.quotedName};r=${remaining};t=${secs}`);
  headers.set("x-ratelimit-remaining", String(remaining));
  headers.set("x-ratelimit-reset", String(Math.ceil(dateMs / 1000) + secs));
};

/** Writes the fields that state a limit; they need no answer of the store. */
export const writePolicy = (headers: ResponseHeaders, limit: Limit): void => {
  headers.set("ratelimit-policy", limit.policy);
  headers.set("x-ratelimit-limit", String(limit.rule.capacity));
};
