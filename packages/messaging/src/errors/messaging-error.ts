import { FrameworkError } from "@framework/core";
import { toError } from "@framework/core/feature";

/** Codes of this package's errors that are not replies. */
export type MessagingCode = `MESSAGING_${string}`;

/** An error of messaging; its message begins with the feature's name. */
export const messagingError = (code: MessagingCode, message: string, cause?: unknown): FrameworkError =>
  new FrameworkError(code, `messaging: ${message}`, cause === undefined ? undefined : { cause });

/** A failure that no further try can change: the message becomes a dead letter at once. */
export class PermanentFailure extends FrameworkError {
  override readonly name: string = "PermanentFailure";

  constructor(code: MessagingCode, message: string, cause?: unknown) {
    super(code, `messaging: ${message}`, cause === undefined ? undefined : { cause });
  }

  /** Whether a value has the shape of one, also of another copy of this package. */
  static override is(error: unknown): error is PermanentFailure {
    return FrameworkError.is(error) && toError(error).name === "PermanentFailure";
  }
}
