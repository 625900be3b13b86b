import { HttpError, RateLimitError } from "@framework/core";

/** Creates the 429 of a client over its limit. */
export const limitExceeded = (retryAfterSecs: number): HttpError =>
  new RateLimitError(retryAfterSecs, `Rate limit exceeded; try again in ${retryAfterSecs} s`, {
    code: "RATE_LIMIT_EXCEEDED",
  });

/** Creates the 503 of a request whose quota the store could not determine, with `onStoreError: "deny"`. */
export const unknownQuota = (): HttpError =>
  new HttpError(503, "The rate limit is temporarily unavailable", {
    code: "RATE_LIMIT_STORE_UNAVAILABLE",
    headers: { "retry-after": "1" },
    retry_after: 1,
  });
