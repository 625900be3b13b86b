import type { Awaitable, Handler, HttpError, HttpRequest, Middleware, Response } from "@framework/core";
import { isPromise, mapAwaitable, mapOutput } from "@framework/core/feature";
import type { Limit } from "./limit.ts";
import type { Quota } from "./quota.ts";
import { retryAfterSecs, writePolicy, writeQuota } from "./quota-fields.ts";
import { limitExceeded, unknownQuota } from "./denials.ts";
import { requestLoad } from "./request-load.ts";

/** Options of `limitRequests`. */
export interface LimitRequestsOptions {
  /** Returns the limit of a request; `null` for none. */
  readonly limitOf: (request: HttpRequest) => Limit | null;
  /** Decides on a request by its key; `null` denies it with 503. */
  readonly take: (limit: Limit, key: string) => Awaitable<Quota | null>;
  /** Creates the app's reply to an error. */
  readonly replyTo: (error: HttpError, request: HttpRequest) => Awaitable<Response>;
}

/** Creates a middleware that denies requests above their limit and sets the quota fields on every reply, including replies of exception handlers. */
export const limitRequests = ({
  limitOf,
  take,
  replyTo,
}: LimitRequestsOptions): Middleware<HttpRequest, Response> => {
  const deny = (limit: Limit, error: HttpError, request: HttpRequest): Awaitable<Response> => {
    limit.counts.denied++;
    return mapAwaitable(replyTo(error, request), (response) => {
      for (const [name, value] of Object.entries(error.headers)) response.headers.set(name, value);
      return response;
    });
  };

  const conclude = (
    limit: Limit,
    quota: Quota | null,
    request: HttpRequest,
    next: Handler<HttpRequest, Response>,
  ): Awaitable<Response> => {
    if (quota === null) return denyUndecided(limit, request);
    const answer = quota.allowed
      ? admit(limit, request, next)
      : deny(limit, limitExceeded(retryAfterSecs(quota, limit)), request);
    const withQuotaHeaders = (response: Response): Response => {
      writeQuota(response.headers, limit, quota, Date.now());
      return response;
    };
    return mapOutput(answer, withQuotaHeaders, null);
  };

  const admit = (
    limit: Limit,
    request: HttpRequest,
    next: Handler<HttpRequest, Response>,
  ): Awaitable<Response> => {
    limit.counts.allowed++;
    const { adaptive } = limit;
    if (adaptive === null) return next(request);
    const recordEnd = requestLoad(adaptive, request);
    const withRecordedEnd = (response: Response): Response => {
      recordEnd(response);
      return response;
    };
    return mapOutput(next(request), withRecordedEnd, null);
  };

  const denyUndecided = (limit: Limit, request: HttpRequest): Awaitable<Response> =>
    mapAwaitable(deny(limit, unknownQuota(), request), (response) => {
      writePolicy(response.headers, limit);
      return response;
    });

  return function rateLimit(request, next) {
    const limit = limitOf(request);
    if (limit === null) return next(request);
    const quota = take(limit, limit.keyOf(request));
    return isPromise(quota)
      ? quota.then((known) => conclude(limit, known, request, next))
      : conclude(limit, quota, request, next);
  };
};
