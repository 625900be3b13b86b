/** Maximum texts in the cache; the oldest is evicted. */
const MAX_TEXTS = 500;

/** Consecutive quick reads after which a text runs in the service again; doubled after each relapse. */
const FIRST_PROOF = 8;
const LONGEST_PROOF = 1024;

/** Factor of `longMs` from which a read counts as long although the processor did little for it: it waited for a disk. */
const STALLED = 10;

interface Known {
  away: boolean;
  quick: number;
  proof: number;
}

/**
 * Decides which statements run in the reading process, by how long their text took the last time.
 *
 * Processor time decides where it was measured, which is the first time and after a long one: on a busy machine a short read takes long whenever other
 * programs have the processor, and each such relapse would keep it in the reading process for longer.
 */
export class LongReads {
  /** Duration from which a read counts as long. */
  readonly longMs: number;
  private readonly texts = new Map<string, Known>();
  private stopped = false;

  constructor(longMs: number) {
    this.longMs = longMs;
  }

  has(text: string): boolean {
    return this.texts.size > 0 && this.texts.get(text)?.away === true; // skips the lookup: most apps have no long reads
  }

  /** Treats a text as long from its first run on. */
  expect(text: string): void {
    if (!this.stopped && this.longMs !== Infinity && !this.texts.has(text)) this.add(text);
  }

  /** Whether the processor time of a text is to be measured when it runs in the service. */
  isSuspect(text: string): boolean {
    return this.texts.size > 0 && this.texts.has(text);
  }

  /**
   * @param ms from the start to the end of the read
   * @param workedMs processor time in it; `null` when it was not measured: then all of it counts
   */
  took(text: string, ms: number, workedMs: number | null): void {
    if (this.stopped) return;
    const known = this.texts.get(text);
    const countedMs = workedMs ?? ms;
    if (countedMs >= this.longMs || ms >= this.longMs * STALLED) this.wasLong(text, known);
    else if (known?.away === true && ++known.quick >= known.proof) known.away = false;
  }

  /** Forgets all texts. */
  stop(): void {
    this.stopped = true;
    this.texts.clear();
  }

  private wasLong(text: string, known: Known | undefined): void {
    if (known === undefined) return this.add(text);
    if (!known.away) known.proof = Math.min(known.proof * 2, LONGEST_PROOF);
    known.away = true;
    known.quick = 0;
  }

  private add(text: string): void {
    this.texts.set(text, { away: true, quick: 0, proof: FIRST_PROOF });
    if (this.texts.size <= MAX_TEXTS) return;
    for (const oldest of this.texts.keys()) {
      this.texts.delete(oldest);
      break;
    }
  }
}
