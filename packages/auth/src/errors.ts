import { FrameworkError, HttpError, type Problem, UnauthorizedError } from "@framework/core";
import type { AuthErrorCode } from "./error-codes.ts";

/** A mistake to be reported at start. */
export const authProblem = (code: AuthErrorCode, message: string): Problem => ({ code, message });

/** A mistake of the program, found while it runs. */
export const authError = (code: AuthErrorCode, message: string, cause?: unknown): FrameworkError =>
  new FrameworkError(code, message, cause === undefined ? undefined : { cause });

/** A 503: who asks cannot be told at the moment, and is not let in. */
export const unavailable = (code: AuthErrorCode, cause?: unknown): HttpError =>
  new HttpError(503, "Authentication is not available at the moment", {
    code,
    headers: { "retry-after": "1" },
    retry_after: 1,
    ...(cause === undefined ? {} : { cause }),
  });

/** A 401 for whom sent nothing, or nothing of this kind. */
export const missing = (challenge: string): UnauthorizedError => new UnauthorizedError(undefined, challenge);
