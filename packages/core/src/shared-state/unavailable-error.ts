import { HttpError } from "../errors/http-error.ts";

/** Error code when the shared state is unreachable. */
export const UNAVAILABLE = "CORE_SHARED_STATE_UNAVAILABLE";

/** 503 with `Retry-After`: the shared state cannot be reached, and the outcome of the call is unknown. */
export class SharedStateUnavailableError extends HttpError {
  override readonly name = "SharedStateUnavailableError";
  /** Text for clients; the message with the reason is for the log. */
  override readonly detail: string = "The shared state is not available";

  /** @param reason text between the common prefix and suffix of the message */
  constructor(reason: string, cause?: unknown) {
    super(503, `shared state: ${reason}; the outcome of the call is unknown`, {
      code: UNAVAILABLE,
      headers: { "retry-after": "1" },
      retry_after: 1,
      cause,
    });
  }
}
