import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const cacheErrors: ErrorCatalogue = {
  CACHE_NOT_ENABLED: {
    summary: "`invalidateCache` was called without `enableCaching`",
    action: "call `enableCaching`",
  },
  CACHE_NOT_STARTED: {
    summary: "`invalidateCache` was called before the app started, or after it stopped",
    action: "call it while the app runs",
  },
  CACHE_BAD_TAG: {
    summary: "`invalidateCache` was given a malformed tag; logged once for a route whose reply has one",
    action: "use strings of 1 to 1,024 characters, and at most 100 tags for each reply",
  },
  CACHE_BAD_CALLER: {
    summary:
      "500: `per` of a route returned something other than a string, a finite number, `null` or `undefined`",
    action: "return the id of the caller, or `null` for none",
  },
  CACHE_BAD_KEY: {
    summary: "500: `key` of a route returned something other than a string or a finite number",
    action: "return a string synchronously, not a promise; an empty string adds nothing to the key",
  },
  CACHE_PURGES_ONE_HOST: {
    summary:
      "advice: several hosts serve the app, and `invalidateCache` reaches only the workers of one host",
    action: "call `enableRedis({ shared: true })`, or pass a store that all hosts share",
  },
  CACHE_STORE_UNAVAILABLE: {
    status: 503,
    summary:
      "the store failed in `invalidateCache`; other failures of a store are only logged, and the handlers answer the requests",
    action: "check the store; clients retry after a second",
  },
};
