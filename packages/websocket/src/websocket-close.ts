import { FrameworkError } from "@framework/core";

/**
 * Closes the connection with a code and a reason when thrown in a handler (RFC 6455 7.4).
 *
 * Use 4000 to 4999 for your own codes. Registered codes from 3000 to 3999, and the standard codes 1000 to 1003 and 1007 to 1014, are also allowed.
 *
 * @throws WEBSOCKET_BAD_CLOSE_CODE
 */
export class WebSocketClose extends FrameworkError {
  override readonly name = "WebSocketClose";
  /** Code of the close frame. */
  readonly closeCode: number;
  /** Reason of the close frame, which truncates it to 123 bytes. */
  readonly reason: string;

  constructor(closeCode: number, reason = "") {
    super("WEBSOCKET_CLOSE", reason === "" ? `close ${closeCode}` : reason);
    if (!isSendable(closeCode)) {
      throw new FrameworkError(
        "WEBSOCKET_BAD_CLOSE_CODE",
        `the close code ${closeCode} is not allowed; use 4000 to 4999 for your own codes`,
      );
    }
    this.closeCode = closeCode;
    this.reason = reason;
  }

  static override is(error: unknown): error is WebSocketClose {
    return FrameworkError.is(error) && "closeCode" in error;
  }
}

/** Whether the code is allowed in a close frame. */
export const isSendable = (code: number): boolean =>
  (code >= 4000 && code <= 4999) ||
  (code >= 1000 && code <= 1003) ||
  (code >= 1007 && code <= 1014) ||
  (code >= 3000 && code < 4000);

const MAX_REASON_BYTES = 123;

/** Truncates a reason to the limit of a close frame, between characters. */
export const truncateReason = (reason: string): string => {
  if (Buffer.byteLength(reason) <= MAX_REASON_BYTES) return reason;
  let cut = reason.slice(0, MAX_REASON_BYTES);
  while (Buffer.byteLength(cut) > MAX_REASON_BYTES) cut = cut.slice(0, -1);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
};
