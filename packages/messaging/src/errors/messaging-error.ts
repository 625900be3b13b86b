import { FrameworkError } from "@framework/core";
import { toError } from "@framework/core/feature";

/** Error codes of this package. */
export type MessagingCode = `MESSAGING_${string}`;

/** Creates an error of messaging; its message begins with `messaging:`. */
export const messagingError = (code: MessagingCode, message: string, cause?: unknown): FrameworkError =>
  new FrameworkError(code, `messaging: ${message}`, cause === undefined ? undefined : { cause });

/** A failure that retries cannot fix: the message becomes a dead letter at once. */
export class PermanentFailure extends FrameworkError {
  override readonly name: string = "PermanentFailure";

  constructor(code: MessagingCode, message: string, cause?: unknown) {
    super(code, `messaging: ${message}`, cause === undefined ? undefined : { cause });
  }

  /** Whether a value is a `PermanentFailure`, also of another copy of this package. */
  static override is(error: unknown): error is PermanentFailure {
    return FrameworkError.is(error) && toError(error).name === "PermanentFailure";
  }
}
