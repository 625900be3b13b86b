import { HttpError, RateLimitError } from "@framework/core";

/** 429: this client has sent too many requests. */
export const exceeded = (retryAfterSecs: number): HttpError =>
  new RateLimitError(retryAfterSecs, `Rate limit exceeded; try again in ${retryAfterSecs} s`, {
    code: "RATE_LIMIT_EXCEEDED",
  });

/** 503: the number of requests of this client is unknown, and such requests are denied. */
export const unknownQuota = (): HttpError =>
  new HttpError(503, "The rate limit cannot be checked at the moment", {
    code: "RATE_LIMIT_STORE_UNAVAILABLE",
    headers: { "retry-after": "1" },
    retry_after: 1,
  });
