import { type Handler, type Invocation, isHttpRequest, type Middleware } from "@framework/core";
import { mapAwaitable, type ProtectedEntry } from "@framework/core/feature";
import { limitExceeded, unknownQuota } from "./denials.ts";
import type { Limit } from "./limit.ts";
import type { Quota } from "./quota.ts";
import { retryAfterSecs } from "./quota-fields.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { callLoad } from "./request-load.ts";

/** Creates the middleware that counts the calls of an entry point other than routes, such as gRPC, like requests. It denies a call by throwing. */
export const limitCalls = (
  limiter: Pick<RateLimiter, "limitOf" | "limitOfCall" | "take">,
  entry: ProtectedEntry,
): Middleware<Invocation, unknown> => {
  const admit = (limit: Limit, call: Invocation, next: Handler<Invocation, unknown>): unknown => {
    limit.counts.allowed++;
    const { adaptive } = limit;
    if (adaptive === null) return next(call);
    if (isHttpRequest(call)) {
      adaptive.signals.recordAdmission();
      return next(call); // `next` only decides whether the operation may begin
    }
    const recordEnd = callLoad(adaptive, call, entry);
    return mapAwaitable(next(call), (outcome) => {
      recordEnd(outcome);
      return outcome;
    });
  };

  /** Throws unless the quota allows the call. @throws HttpError 429 above the limit, or 503 without a decision */
  const requirePermit = (limit: Limit, quota: Quota | null): void => {
    if (quota?.allowed === true) return;
    limit.counts.denied++;
    throw quota === null ? unknownQuota() : limitExceeded(retryAfterSecs(quota, limit));
  };

  return function rateLimit(call, next) {
    // The input of an operation over WebSocket is its upgrade request: the operation counts like that request.
    const isRequest = isHttpRequest(call);
    const limit = isRequest ? limiter.limitOf(call) : limiter.limitOfCall(call);
    if (limit === null) return next(call);
    const key = isRequest ? limit.keyOf(call) : limit.keyOfCall(call, entry.clientIp(call));
    const quota = limiter.take(limit, key);
    return mapAwaitable(quota, (known) => {
      requirePermit(limit, known);
      return admit(limit, call, next);
    });
  };
};
