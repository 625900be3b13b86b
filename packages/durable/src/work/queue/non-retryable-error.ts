import { FrameworkError } from "@framework/core";
import { toError } from "@framework/core/feature";

/** An error after which another attempt is pointless: the item gives up at once. */
export class NonRetryableError extends FrameworkError {
  override readonly name: string = "NonRetryableError";

  constructor(message: string, options: { readonly code?: string; readonly cause?: unknown } = {}) {
    const { code = "DURABLE_NON_RETRYABLE", cause } = options;
    super(code, message, cause === undefined ? undefined : { cause });
  }

  /** Whether a value is a `NonRetryableError`, also one from another copy of this package. */
  static override is(error: unknown): error is NonRetryableError {
    return FrameworkError.is(error) && toError(error).name === "NonRetryableError";
  }
}
