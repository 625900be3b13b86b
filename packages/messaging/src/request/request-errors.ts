import { HttpError } from "@framework/core";

/** A request had no reply within its timeout. HTTP status 504. Its handler may still run. */
export class NoReplyError extends HttpError {
  override readonly name = "NoReplyError";

  constructor(topic: string, timeoutMs: number) {
    super(504, "A request received no reply in time", {
      code: "MESSAGING_NO_REPLY",
      cause: new Error(`messaging: a request to "${topic}" had no reply within ${timeoutMs} ms`),
    });
  }
}

/**
 * A request failed: its message became a dead letter, its handler threw after `ack` or is a batch handler, or the reply could not be sent or does not match
 * its schema. HTTP status 502.
 */
export class RequestFailedError extends HttpError {
  override readonly name = "RequestFailedError";

  constructor(topic: string, reason: string) {
    super(502, "A request failed", {
      code: "MESSAGING_REQUEST_FAILED",
      cause: new Error(`messaging: a request to "${topic}" failed: ${reason}`),
    });
  }
}
