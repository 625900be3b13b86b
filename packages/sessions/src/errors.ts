import { FrameworkError, HttpError } from "@framework/core";
import type { ImpliedReply } from "@framework/core/feature";
import type { SessionsErrorCode } from "./error-codes.ts";

/** Creates the 503 of a store that fails or is full. */
export const unavailable = (code: SessionsErrorCode, cause?: unknown): HttpError =>
  new HttpError(503, "Sessions are temporarily unavailable", {
    code,
    headers: { "retry-after": "1" },
    retry_after: 1,
    ...(cause === undefined ? {} : { cause }),
  });

/** The 503 of `unavailable`, for API documents. */
export const unavailableReply: ImpliedReply = {
  status: 503,
  description: "Sessions are temporarily unavailable.",
  headers: { "Retry-After": { description: "Seconds to wait before retrying.", type: "integer" } },
};

/** The 409 of `sessionEnded`, for API documents. */
export const endedReply: ImpliedReply = {
  status: 409,
  description: "The session has ended or was renewed by another request.",
};

/** Creates the 409 of a change to a session that ended or got a new id during the request. */
export const sessionEnded = (): HttpError =>
  new HttpError(409, "The session has ended or was renewed by another request; try again", {
    code: "SESSIONS_ENDED",
  });

/** Creates an error for a programming mistake at run time. */
export const sessionsError = (code: SessionsErrorCode, message: string): FrameworkError =>
  new FrameworkError(code, `sessions: ${message}`);
