import { HttpError } from "@framework/core";

/** A request that got no reply in time: 504 as a reply. Its handler may still run. */
export class NoReplyError extends HttpError {
  override readonly name = "NoReplyError";

  constructor(topic: string, timeoutMs: number) {
    super(504, "A request was not answered in time", {
      code: "MESSAGING_NO_REPLY",
      cause: new Error(`messaging: a request to "${topic}" had no reply within ${timeoutMs} ms`),
    });
  }
}

/** A request whose message became a dead letter, whose handler threw after `ack` or is one of `subscribeBatch`, or whose reply does not fit its schema: 502 as a reply. */
export class RequestFailedError extends HttpError {
  override readonly name = "RequestFailedError";

  constructor(topic: string, reason: string) {
    super(502, "A request failed", {
      code: "MESSAGING_REQUEST_FAILED",
      cause: new Error(`messaging: a request to "${topic}" failed: ${reason}`),
    });
  }
}
