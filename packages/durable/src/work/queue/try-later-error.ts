import { FrameworkError } from "@framework/core";
import { toError } from "@framework/core/feature";

/** Gives an item back to its queue for a while, whatever its retry policy says: for features with a policy of their own. */
export class TryLaterError extends FrameworkError {
  override readonly name: string = "TryLaterError";
  /** Milliseconds until the next attempt. */
  readonly delayMs: number;
  /** Whether this attempt counts. */
  readonly isCounted: boolean;

  constructor(delayMs: number, { isCounted = true }: { readonly isCounted?: boolean } = {}) {
    super("DURABLE_TRY_LATER", `the handler asked for another attempt in ${delayMs} ms`);
    this.delayMs = delayMs;
    this.isCounted = isCounted;
  }

  /** Whether a value has the shape of one, also of another copy of this package. */
  static override is(error: unknown): error is TryLaterError {
    return FrameworkError.is(error) && toError(error).name === "TryLaterError";
  }
}
