import { FrameworkError, HttpError } from "@framework/core";
import type { ImpliedReply } from "@framework/core/feature";
import type { SessionsErrorCode } from "./error-codes.ts";

/** Creates a 503, for when sessions cannot be read or written. */
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

/** The 409 of `ended`, for API documents. */
export const endedReply: ImpliedReply = {
  status: 409,
  description: "The session has ended or was renewed by another request.",
};

/** Creates a 409, for a change to a session that ended or got a new id during the request. */
export const ended = (): HttpError =>
  new HttpError(409, "The session has ended or was renewed by another request; try again", {
    code: "SESSIONS_ENDED",
  });

/** Creates an error for a programming mistake at run time. */
export const sessionsError = (code: SessionsErrorCode, message: string): FrameworkError =>
  new FrameworkError(code, `sessions: ${message}`);
