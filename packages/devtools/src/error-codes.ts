import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const devtoolsErrors: ErrorCatalogue = {
  DEVTOOLS_IN_PRODUCTION: {
    summary: "a warning in the log: the tools are disabled, because the service runs in production",
    action:
      "call `enableDevtools` in development only, or ignore the warning: no port is open and nothing is recorded",
  },
  DEVTOOLS_FAULTS_IN_PRODUCTION: {
    summary: "`DevtoolsConfig.faults` has rules and the service runs in production; it does not start",
    action: "remove the rules, or run with `FRAMEWORK_ENV=development`",
  },
  DEVTOOLS_NO_ACTION: {
    summary: "a call names an unknown panel, action or row, or its texts are too long for another worker",
    action: "reload the page, since the service has changed, or shorten the texts",
  },
  DEVTOOLS_NO_ANSWER: {
    summary: "another worker did not respond to a call within 30 seconds",
    action: "check the log of the service: the worker may be busy or have ended",
  },
  DEVTOOLS_FAULT: {
    summary: "an injected fault failed a request or a call",
    action: "remove the rule on the page `Faults`",
  },
};
