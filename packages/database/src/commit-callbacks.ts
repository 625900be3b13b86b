import { FrameworkError } from "@framework/core";
import { guarded } from "./guarded.ts";

/** Maximum callbacks that wait for one commit. */
const MAX_CALLBACKS = 10_000;

/** The callbacks of one transaction, called after its commit. Nested transactions are strictly nested, so the callbacks are a stack. */
export class CommitCallbacks {
  private readonly callbacks: (() => void)[] = [];

  /** Number of callbacks; `dropFrom` returns to it. */
  get count(): number {
    return this.callbacks.length;
  }

  /** @throws DATABASE_TOO_MANY_CALLBACKS */
  add(callback: () => void): void {
    if (this.callbacks.length >= MAX_CALLBACKS) {
      throw new FrameworkError(
        "DATABASE_TOO_MANY_CALLBACKS",
        `a transaction has at most ${MAX_CALLBACKS} callbacks of onCommit; register one for all rows in place of one for each`,
      );
    }
    this.callbacks.push(callback);
  }

  /** Drops the callbacks that were added since the count was `count`. */
  dropFrom(count: number): void {
    this.callbacks.length = Math.min(this.callbacks.length, count);
  }

  /** Calls all in the order of registration. An error goes to `failed` and stops neither the others nor the caller, whose data is committed. */
  run(failed: (error: unknown) => void): void {
    for (const callback of this.callbacks) guarded(callback, failed)();
  }
}
