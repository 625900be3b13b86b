import { FrameworkError, HttpError, type Problem, UnauthorizedError } from "@framework/core";
import type { ImpliedReply } from "@framework/core/feature";
import type { AuthErrorCode } from "./error-codes.ts";

/** Creates a problem for the start report. */
export const authProblem = (code: AuthErrorCode, message: string): Problem => ({ code, message });

/** Creates an error for a programming mistake at run time. */
export const authError = (code: AuthErrorCode, message: string, cause?: unknown): FrameworkError =>
  new FrameworkError(code, message, cause === undefined ? undefined : { cause });

/** Creates a 503 for a caller whose credentials cannot be checked. */
export const unavailable = (code: AuthErrorCode, cause?: unknown): HttpError =>
  new HttpError(503, "Authentication is temporarily unavailable", {
    code,
    headers: { "retry-after": "1" },
    retry_after: 1,
    ...(cause === undefined ? {} : { cause }),
  });

/** The 503 of `unavailable`, for API documents. */
export const unavailableReply: ImpliedReply = {
  status: 503,
  description: "Credentials cannot be checked at the moment.",
  headers: { "Retry-After": { description: "Seconds until the next attempt.", type: "integer" } },
};

/** Creates a 401 for missing credentials. */
export const missingCredentials = (challenge: string): UnauthorizedError =>
  new UnauthorizedError(undefined, challenge);
