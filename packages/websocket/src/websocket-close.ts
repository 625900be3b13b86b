import { FrameworkError } from "@framework/core";
import { badMessage } from "./bad-message.ts";

/**
 * Closes the connection with a code and a reason when thrown in a handler (RFC 6455 7.4).
 *
 * Use 4000 to 4999 for your own codes. Registered codes from 3000 to 3999, and the standard codes 1000 to 1003 and 1007 to 1014, are also allowed.
 *
 * @throws WEBSOCKET_BAD_CLOSE_CODE, and WEBSOCKET_BAD_MESSAGE for a reason that is not a string
 */
export class WebSocketClose extends FrameworkError {
  override readonly name = "WebSocketClose";
  /** Code of the close frame. */
  readonly closeCode: number;
  /** Reason of the close frame, which truncates it to 123 bytes. */
  readonly reason: string;

  constructor(closeCode: number, reason = "") {
    checkClose(closeCode, reason);
    super("WEBSOCKET_CLOSE", reason === "" ? `close ${closeCode}` : reason);
    this.closeCode = closeCode;
    this.reason = reason;
  }

  /** Whether a value is a `WebSocketClose`, also of another copy of this package, with a code and a reason that a close frame can have. */
  static override is(error: unknown): error is WebSocketClose {
    if (!FrameworkError.is(error)) return false;
    try {
      const { closeCode, reason } = error as Partial<WebSocketClose>;
      return isSendable(closeCode) && typeof reason === "string";
    } catch {
      return false; // a proxy, or a getter that throws
    }
  }
}

/** Checks a code and a reason, which may come from a message of the client. @throws WEBSOCKET_BAD_CLOSE_CODE, WEBSOCKET_BAD_MESSAGE */
export const checkClose = (code: unknown, reason: unknown): void => {
  if (!isSendable(code)) {
    const wrong =
      typeof code === "number" ? `the close code ${code} is not allowed` : "a close code is a number";
    throw new FrameworkError("WEBSOCKET_BAD_CLOSE_CODE", `${wrong}; use 4000 to 4999 for your own codes`);
  }
  if (typeof reason !== "string") throw badMessage("the reason of a close is a string", reason);
};

/** Whether the code is allowed in a close frame. */
const isSendable = (code: unknown): boolean => {
  if (typeof code !== "number" || !Number.isInteger(code)) return false;
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
};

const MAX_REASON_BYTES = 123;

/** Truncates a reason to the limit of a close frame, between characters. */
export const truncateReason = (reason: string): string => {
  if (Buffer.byteLength(reason) <= MAX_REASON_BYTES) return reason;
  let cut = reason.slice(0, MAX_REASON_BYTES);
  while (Buffer.byteLength(cut) > MAX_REASON_BYTES) cut = cut.slice(0, -1);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
};
