import { HttpError } from "@framework/core";
import { messageOf } from "@framework/core/feature";

/** The broker did not confirm a message. HTTP status 503. The message may have been stored; send it again with the same id. */
export class SendFailedError extends HttpError {
  override readonly name = "SendFailedError";

  constructor(topic: string, cause: unknown) {
    super(503, "A message could not be sent", {
      code: "MESSAGING_SEND_FAILED",
      cause: new Error(`messaging: a message to "${topic}" was not confirmed: ${messageOf(cause)}`, {
        cause,
      }),
    });
  }
}
