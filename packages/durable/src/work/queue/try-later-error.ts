import { FrameworkError } from "@framework/core";
import { toError } from "@framework/core/feature";

/** Returns an item to its queue for a while, regardless of its retry policy: for features with their own policy. */
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

  /** Whether a value is a `TryLaterError`, also one from another copy of this package. */
  static override is(error: unknown): error is TryLaterError {
    return FrameworkError.is(error) && toError(error).name === "TryLaterError";
  }
}
