import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const rateLimitErrors: ErrorCatalogue = {
  RATE_LIMIT_BAD_KEY: {
    summary:
      "`key` or `callKey` returned something other than a string, a finite number or `null`; the request gets 500",
    action: "return the name of the client synchronously, not a promise or an object",
  },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    summary: "the client exceeded its limit",
    action: "retry after `Retry-After`",
  },
  RATE_LIMIT_ONE_HOST: {
    summary: "advice: several hosts serve the app, and each counts its own requests",
    action: "share the state with `enableRedis({ shared: true })`, or set `store`",
  },
  RATE_LIMIT_STORE_UNAVAILABLE: {
    status: 503,
    summary: "the store failed and `onStoreError` is `deny`",
    action: "check the store",
  },
};
