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
export const isRetryable = (error: unknown): boolean => {
  for (let each = error; Error.isError(each); each = each.cause)
    if (permanent.has(Reflect.get(each, "type"))) return false;
  return true;
};
