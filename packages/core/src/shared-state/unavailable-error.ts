import { HttpError } from "../errors/http-error.ts";

/** Error code of an unreachable state. */
export const UNAVAILABLE = "CORE_SHARED_STATE_UNAVAILABLE";

/** 503 with `Retry-After`: the shared state cannot be reached. The outcome of the call is unknown. */
export class SharedStateUnavailableError extends HttpError {
  override readonly name = "SharedStateUnavailableError";
  /** Text for clients; the message with the reason is for the log. */
  override readonly detail: string = "The shared state is not available";

  /** @param reason without the prefix and the suffix that all these messages have */
  constructor(reason: string, cause?: unknown) {
    super(503, `shared state: ${reason}; the outcome of the call is unknown`, {
      code: UNAVAILABLE,
      headers: { "retry-after": "1" },
      retry_after: 1,
      cause,
    });
  }
}
