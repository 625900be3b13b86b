import type { HttpRequest, Middleware, Response } from "@framework/core";
import type { DecisionReasons } from "@framework/core/feature";
import type { BodyLimitConfig } from "./body-limit-config.ts";

/** Adds the reason of each decision to the middleware, for request traces, such as those of `framework explain`. */
export const withReasons =
  (
    limitBodies: Middleware<HttpRequest, Response>,
    { maxBodyBytes }: BodyLimitConfig,
    reasons: DecisionReasons,
  ): Middleware<HttpRequest, Response> =>
  (request, next) => {
    const { contentLength, endpoint } = request;
    const own = endpoint?.options.maxBodyBytes;
    const limit = `${own ?? maxBodyBytes} bytes${own === undefined ? "" : " (set by the route)"}`;
    reasons.give(request, bodyReason(contentLength, limit));
    return limitBodies(request, next);
  };

const bodyReason = (length: number | null, limit: string): string => {
  if (length === 0) return "the request has no body";
  return length === null
    ? `the length is not declared: reading stops above the limit of ${limit}`
    : `the request declares ${length} bytes, the limit is ${limit}`;
};
