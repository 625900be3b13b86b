import { HttpError } from "@framework/core";
import { messageOf } from "@framework/core/feature";

/** A message that the broker did not confirm: 503 as a reply. It may have been stored; send it again with the same id. */
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
