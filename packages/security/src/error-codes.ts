import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const securityErrors: ErrorCatalogue = {
  SECURITY_CSRF: {
    status: 403,
    summary: "the request has no valid CSRF token, or comes from another origin",
    action: "send the token of the session, or add the origin to `trustedOrigins`",
  },
  SECURITY_CSRF_BAD_SESSION: {
    summary: "500: `session` of `CsrfConfig` returned neither a string nor `null` nor `undefined`",
    action: "return the name of the login synchronously, not a promise or an object",
  },
  SECURITY_CSRF_NOT_ENABLED: {
    summary: "`csrfToken` or `rotateCsrfToken` was called without `enableCsrf`",
    action: "call `enableCsrf`",
  },
  SECURITY_CSRF_SECRET: {
    summary: "a warning at start: production without `secret`",
    action: "set `secret`, the same for all processes",
  },
};
