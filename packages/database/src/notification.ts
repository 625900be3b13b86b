import { FrameworkError } from "@framework/core";

/** PostgreSQL's limits: payloads below 8000 bytes and names of at most 63. */
const MAX_PAYLOAD_BYTES = 7999;
const CHANNEL = /^[A-Za-z_][\w.-]{0,62}$/;

/** @throws DATABASE_BAD_NOTIFICATION for a channel or payload that not every database can carry */
export const checkNotification = (channel: string, payload: string): void => {
  if (!CHANNEL.test(channel)) {
    throw new FrameworkError(
      "DATABASE_BAD_NOTIFICATION",
      "a channel has 1 to 63 letters, digits, `_`, `.` or `-` and does not begin with a digit",
    );
  }
  if (
    typeof payload !== "string" ||
    payload.includes("\0") ||
    Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES
  ) {
    throw new FrameworkError(
      "DATABASE_BAD_NOTIFICATION",
      `a payload is text of at most ${MAX_PAYLOAD_BYTES} bytes without NUL`,
    );
  }
};
