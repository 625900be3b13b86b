import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const healthErrors: ErrorCatalogue = {
  HEALTH_NOT_ENABLED: {
    summary: "`healthCheck` was called before `enableHealthChecks`; the app does not start",
    action: "call `enableHealthChecks` first",
  },
  HEALTH_CHECK_TIMEOUT: {
    summary: "reason of the signal that a check receives at its timeout",
    action: "raise `timeoutSecs`, or make the check faster",
  },
};
