import { isProtocolError } from "../client/protocol-error.ts";

/** Errors of the protocol that the same message meets again. */
const permanent: ReadonlySet<unknown> = new Set([
  "MESSAGE_TOO_LARGE",
  "RECORD_LIST_TOO_LARGE",
  "INVALID_TOPIC_EXCEPTION",
  "INVALID_TIMESTAMP",
  "INVALID_RECORD",
  "UNSUPPORTED_COMPRESSION_TYPE",
]);

/** Whether a message that failed may succeed later. */
export const isRetryable = (error: unknown): boolean => !isProtocolError(error, permanent);
