/** Bound of the memory of what was dropped. */
export interface InvalidationsOptions {
  /** Most tags that are remembered. @default 10000 */
  readonly maxTags?: number;
}

/**
 * Which tags were dropped, and when, counted in drops: what was computed before a drop is not stored after it.
 *
 * The memory is bounded: work that began before the oldest drop which was forgotten counts as overtaken.
 */
export class Invalidations {
  private readonly lastDrop = new Map<string, number>();
  private readonly maxTags: number;
  private count = 0;
  private forgotten = 0;

  constructor({ maxTags = 10_000 }: InvalidationsOptions = {}) {
    this.maxTags = maxTags;
  }

  /** This moment, to be handed to `overtook`. */
  get moment(): number {
    return this.count;
  }

  /** Notes a drop of tags. */
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
      this.forgotten = oldest[1];
    }
  }

  /** Whether one of the tags was dropped after a moment. */
  overtook(moment: number, tags: readonly string[]): boolean {
    if (moment === this.count) return false;
    return moment < this.forgotten || tags.some((tag) => (this.lastDrop.get(tag) ?? 0) > moment);
  }
}
