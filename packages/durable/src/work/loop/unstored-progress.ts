import type { Logger } from "@framework/core";
import type { ItemProgress } from "../table/settling.ts";
import type { WorkStore } from "../table/work-store.ts";
import type { Attempt } from "./attempt.ts";

/** Returns the unstored progress of attempts. */
export const unstoredProgress = (attempts: Iterable<Attempt>): readonly ItemProgress[] =>
  Array.from(attempts).flatMap(({ id, fence, progress }) =>
    progress === null ? [] : [{ id, fence, progress }],
  );

/** Dependencies of `UnstoredProgress`. */
export interface UnstoredProgressOptions {
  readonly store: () => WorkStore;
  readonly log: () => Pick<Logger, "warn">;
}

/** Attempts with unstored progress. Only the last value of each is written. */
export class UnstoredProgress {
  private readonly options: UnstoredProgressOptions;
  private readonly attempts = new Set<Attempt>();

  constructor(options: UnstoredProgressOptions) {
    this.options = options;
  }

  get hasSome(): boolean {
    return this.attempts.size > 0;
  }

  add(attempt: Attempt): void {
    this.attempts.add(attempt);
  }

  /** Drops the progress of an attempt whose row is removed. */
  forget(attempt: Attempt): void {
    attempt.progress = null;
    this.attempts.delete(attempt);
  }

  clear(): void {
    this.attempts.clear();
  }

  /** Writes unstored progress. Never rejects. @param ended attempts whose outcomes are written next, which changes the fence that a write of progress needs */
  async write(ended: readonly Attempt[]): Promise<void> {
    const open = Array.from(this.attempts).filter(({ isOpen }) => isOpen);
    this.attempts.clear();
    const attempts = new Set([...open, ...ended]);
    const items = unstoredProgress(attempts);
    const { store, log } = this.options;
    try {
      await store().settling.progress(items);
    } catch (error) {
      return log().warn("durable: progress was not stored", { error });
    }
    const stored = new Map(items.map(({ id, progress }) => [id, progress]));
    for (const attempt of attempts) if (attempt.progress === stored.get(attempt.id)) attempt.progress = null;
  }
}
