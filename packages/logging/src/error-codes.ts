import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const loggingErrors: ErrorCatalogue = {
  LOGGING_NOT_STARTED: {
    summary:
      "`app.log()` or `logOf(request)` was called without `enableLogging`, or before the app's first start task",
    action: "call `enableLogging`, and use the log from the first start task on",
  },
};
