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
    action: "the message states the format",
  },
  CACHE_BAD_CALLER: {
    summary:
      "500: `per` of a route returned something else than text, a finite number, `null` or `undefined`",
    action: "return the id of the caller, or `null` for none",
  },
  CACHE_BAD_KEY: {
    summary: "500: `key` of a route returned something else than text or a finite number",
    action: "return text at once, not a promise; an empty text adds nothing to the key",
  },
  CACHE_PURGES_ONE_HOST: {
    summary: "advice: several hosts serve the app, and `invalidateCache` reaches only the workers of its own",
    action: "`enableRedis({ shared: true })`, or a store that all hosts share",
  },
  CACHE_STORE_UNAVAILABLE: {
    status: 503,
    summary:
      "the store failed in `invalidateCache`; logged for every other failure of a store, whose requests the handlers answer",
    action: "check the store; clients retry after a second",
  },
};
