import { isProtocolError } from "../client/protocol-error.ts";

/** Protocol errors that the same message causes again. */
const permanent: ReadonlySet<unknown> = new Set([
  "MESSAGE_TOO_LARGE",
  "RECORD_LIST_TOO_LARGE",
  "INVALID_TOPIC_EXCEPTION",
  "INVALID_TIMESTAMP",
  "INVALID_RECORD",
  "UNSUPPORTED_COMPRESSION_TYPE",
]);

/** Node error codes for a value that kafkajs cannot write, such as a header without a value. */
const unencodable: ReadonlySet<unknown> = new Set(["ERR_INVALID_ARG_TYPE", "ERR_OUT_OF_RANGE"]);

/** Whether a failed send may succeed later. */
export const isRetryable = (error: unknown): boolean =>
  !isProtocolError(error, permanent) &&
  !(Error.isError(error) && unencodable.has(Reflect.get(error, "code")));
