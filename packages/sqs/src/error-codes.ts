import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const sqsErrors: ErrorCatalogue = {
  SQS_UNAVAILABLE: {
    summary: "SQS did not respond in time, could not be reached, or reported an internal error",
    action:
      "check region, endpoint, credentials and network; the message may have been stored, so send it again with its id",
  },
  SQS_REFUSED: {
    summary: "SQS refused a request: a permission is missing, or a message is invalid",
    action: "correct the cause that SQS gives in the error message",
  },
  SQS_UNROUTABLE: {
    summary: "no group has a queue for the topic; nothing was stored",
    action: "start a subscriber first, or create its queue",
  },
  SQS_TOO_LARGE: {
    summary: "body, key and headers together exceed `messageSizeBytes`; nothing was stored",
    action: "send less data, or raise the limit of the queues and the option",
  },
};
