import { FrameworkError } from "@framework/core";
import { toError } from "@framework/core/feature";

/** A business rejection, such as a declined card: the saga is compensated at once, without another attempt. */
export class SagaReject extends FrameworkError {
  override readonly name: string = "SagaReject";

  constructor(message: string, options: { readonly code?: string; readonly cause?: unknown } = {}) {
    const { code = "SAGA_REJECTED", cause } = options;
    super(code, message, cause === undefined ? undefined : { cause });
  }

  /** Whether a value is a `SagaReject`, also one from another copy of this package. */
  static override is(error: unknown): error is SagaReject {
    return FrameworkError.is(error) && toError(error).name === "SagaReject";
  }
}
