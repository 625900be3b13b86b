import type { Logger } from "@framework/core";
import type { ItemProgress } from "../table/settling.ts";
import type { WorkStore } from "../table/work-store.ts";
import type { Attempt } from "./attempt.ts";

/** Returns the progress of attempts that is not in the table yet. */
export const unstoredProgress = (attempts: Iterable<Attempt>): readonly ItemProgress[] =>
  Array.from(attempts).flatMap(({ id, fence, progress }) =>
    progress === null ? [] : [{ id, fence, progress }],
  );

/** What stores progress. */
export interface UnstoredProgressOptions {
  readonly store: () => WorkStore;
  readonly log: () => Pick<Logger, "warn">;
}

/** Progress of attempts on its way into the table; only the last value of each. */
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

  /** The row goes, and its progress with it. */
  forget(attempt: Attempt): void {
    attempt.progress = null;
    this.attempts.delete(attempt);
  }

  clear(): void {
    this.attempts.clear();
  }

  /** Stores what waits. Never rejects. @param ended attempts whose outcomes are written next: an outcome ends the fence by which progress is written */
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
