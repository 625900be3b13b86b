import type { FieldUse, ResponseHeaders } from "@framework/core/feature";
import type { Limit } from "./limit.ts";
import type { Quota } from "./quota.ts";

/** Returns the whole seconds until a denied client may retry, at least 1. */
export const retryAfterSecs = ({ waitMs }: Quota, { adaptive }: Limit): number =>
  Math.max(1, Math.ceil((adaptive === null ? waitMs : adaptive.maxWaitMs(waitMs)) / 1000));

/**
 * Sets `RateLimit-Policy`, `RateLimit` (draft-ietf-httpapi-ratelimit-headers) and the consistent `X-RateLimit-*` fields.
 *
 * `t` is the time until the whole quota is available while requests remain, else until the next request is allowed.
 */
export const writeQuota = (headers: ResponseHeaders, limit: Limit, quota: Quota, dateMs: number): void => {
  const { remaining, resetMs } = quota;
  const secs = remaining > 0 ? Math.ceil(resetMs / 1000) : retryAfterSecs(quota, limit);
  writePolicy(headers, limit);
  headers.set("ratelimit", `${limit.field.quotedName};r=${remaining};t=${secs}`);
  headers.set("x-ratelimit-remaining", String(remaining));
  headers.set("x-ratelimit-reset", String(Math.ceil(dateMs / 1000) + secs));
};

/** Sets the policy fields, which do not depend on the store. */
export const writePolicy = (headers: ResponseHeaders, limit: Limit): void => {
  headers.set("ratelimit-policy", limit.policy);
  headers.set("x-ratelimit-limit", String(limit.rule.capacity));
};

const quotaField = (name: string, type: FieldUse["type"], description: string): FieldUse => ({
  name,
  in: "reply",
  type,
  description,
});

/** The quota fields and `Retry-After`, for the API document and for CORS. */
export const quotaFields: readonly FieldUse[] = [
  quotaField("RateLimit", "string", "Remaining quota of the limit."),
  quotaField("RateLimit-Policy", "string", "The limit."),
  quotaField("X-RateLimit-Limit", "integer", "Requests that the limit allows."),
  quotaField("X-RateLimit-Remaining", "integer", "Remaining requests."),
  quotaField(
    "X-RateLimit-Reset",
    "integer",
    "Unix time in seconds at which the whole quota is available again, or the next request is allowed.",
  ),
  { name: "Retry-After", in: "refusal", type: "integer", description: "Seconds to wait before retrying." },
];
