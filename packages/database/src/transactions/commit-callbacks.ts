import { FrameworkError } from "@framework/core";
import { guarded } from "../guarded.ts";

/** Maximum number of callbacks of one transaction. */
const MAX_CALLBACKS = 10_000;

/** The callbacks of one transaction, called after its commit. Nested transactions are strictly nested, so the callbacks are a stack. */
export class CommitCallbacks {
  private readonly callbacks: (() => void)[] = [];

  /** Number of callbacks; pass it to `dropFrom` to restore it. */
  get count(): number {
    return this.callbacks.length;
  }

  /** @throws DATABASE_TOO_MANY_CALLBACKS */
  add(callback: () => void): void {
    if (this.callbacks.length >= MAX_CALLBACKS) {
      throw new FrameworkError(
        "DATABASE_TOO_MANY_CALLBACKS",
        `a transaction can have at most ${MAX_CALLBACKS} onCommit callbacks; register one for all rows instead of one per row`,
      );
    }
    this.callbacks.push(callback);
  }

  /** Drops all callbacks after the first `count`. */
  dropFrom(count: number): void {
    this.callbacks.length = Math.min(this.callbacks.length, count);
  }

  /** Calls all callbacks in the order of registration. Errors are passed to `onError` and do not stop the other callbacks; the data is already committed. */
  run(onError: (error: unknown) => void): void {
    for (const callback of this.callbacks) guarded(callback, onError)();
  }
}
