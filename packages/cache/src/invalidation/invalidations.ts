/** Options of `Invalidations`. */
export interface InvalidationsOptions {
  /** Maximum number of remembered tags. @default 10000 */
  readonly maxTags?: number;
}

/**
 * Remembers dropped tags with a sequence number, so that replies computed before a drop are not stored after it.
 *
 * Bounded: once the oldest drop is evicted, work that began before it counts as invalidated.
 */
export class Invalidations {
  private readonly lastDrop = new Map<string, number>();
  private readonly maxTags: number;
  private count = 0;
  /** Sequence number up to which drops are no longer remembered by tag. */
  private forgottenUntil = 0;

  constructor({ maxTags = 10_000 }: InvalidationsOptions = {}) {
    this.maxTags = maxTags;
  }

  /** Returns the current sequence number, for `droppedSince`. */
  get sequence(): number {
    return this.count;
  }

  /** Records a drop of tags. */
  note(tags: readonly string[]): void {
    this.count++;
    for (const tag of tags) {
      this.lastDrop.delete(tag);
      this.lastDrop.set(tag, this.count);
    }
    while (this.lastDrop.size > this.maxTags) {
      const [oldest] = this.lastDrop;
      if (oldest === undefined) return;
      this.lastDrop.delete(oldest[0]);
      this.forgottenUntil = oldest[1];
    }
  }

  /** Records that any tag may have been dropped. */
  noteAll(): void {
    this.count++;
    this.lastDrop.clear();
    this.forgottenUntil = this.count;
  }

  /** Whether one of the tags was dropped after a sequence number, or may have been. */
  droppedSince(sequence: number, tags: readonly string[]): boolean {
    if (sequence === this.count) return false;
    return sequence < this.forgottenUntil || tags.some((tag) => (this.lastDrop.get(tag) ?? 0) > sequence);
  }
}
