/** Maximum number of texts in the cache; the oldest is evicted. */
const MAX_TEXTS = 500;

/** Consecutive quick reads after which a text runs in this process again; doubled after each relapse. */
const MIN_QUICK_READS = 8;
const MAX_QUICK_READS = 1024;

/** Factor of `longMs` from which a read counts as long even with little CPU time, because it waited for the disk. */
const DISK_WAIT_FACTOR = 10;

interface TextState {
  isInReader: boolean;
  quickReads: number;
  neededQuickReads: number;
}

/**
 * Decides which statements run in the reading process, by the last duration of their text.
 *
 * CPU time is used if it was measured, which is the case for the first run and after a long one: on a busy machine even a short read takes long while
 * other programs use the CPU, and each such relapse would keep it in the reading process for longer.
 */
export class LongReads {
  /** Duration from which a read counts as long. */
  readonly longMs: number;
  private readonly texts = new Map<string, TextState>();
  private stopped = false;

  constructor(longMs: number) {
    this.longMs = longMs;
  }

  /** Whether a text runs in the reading process. */
  has(text: string): boolean {
    return this.texts.size > 0 && this.texts.get(text)?.isInReader === true; // avoids the lookup, because most apps have no long reads
  }

  /** Treats a text as long from its first run on. */
  assumeLong(text: string): void {
    if (!this.stopped && this.longMs !== Infinity && !this.texts.has(text)) this.add(text);
  }

  /** Whether to measure the CPU time of a text when it runs in this process. */
  mustMeasure(text: string): boolean {
    return this.texts.size > 0 && this.texts.has(text);
  }

  /**
   * @param ms duration of the read
   * @param workedMs its CPU time; `null` if it was not measured, then the whole duration counts
   */
  record(text: string, ms: number, workedMs: number | null): void {
    if (this.stopped) return;
    const known = this.texts.get(text);
    const countedMs = workedMs ?? ms;
    if (countedMs >= this.longMs || ms >= this.longMs * DISK_WAIT_FACTOR) this.recordLong(text, known);
    else if (known?.isInReader === true && ++known.quickReads >= known.neededQuickReads)
      known.isInReader = false;
  }

  /** Forgets all texts. */
  stop(): void {
    this.stopped = true;
    this.texts.clear();
  }

  private recordLong(text: string, known: TextState | undefined): void {
    if (known === undefined) return this.add(text);
    if (!known.isInReader) known.neededQuickReads = Math.min(known.neededQuickReads * 2, MAX_QUICK_READS);
    known.isInReader = true;
    known.quickReads = 0;
  }

  private add(text: string): void {
    this.texts.set(text, { isInReader: true, quickReads: 0, neededQuickReads: MIN_QUICK_READS });
    if (this.texts.size <= MAX_TEXTS) return;
    for (const oldest of this.texts.keys()) {
      this.texts.delete(oldest);
      break;
    }
  }
}
