import { sql } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";

/** Positions that will never have an event: their transactions were rolled back. */
export interface Skip {
  /** First position. */
  readonly from: number;
  /** Last position. */
  readonly to: number;
}

/** Number of skips kept for inspection; older ones are deleted. */
const MAX_SKIPS = 10_000;
/** Number of skips recorded between two deletions. The first record of a process also deletes, because a process may end before it has recorded as many. */
const TRIM_EVERY = 1000;

/** Records skips in `framework_event_skips`, with the evidence that they are permanent. */
export class SkipLog {
  private readonly base: StoreBase;
  private sinceTrim = TRIM_EVERY;

  constructor(base: StoreBase) {
    this.base = base;
  }

  async record(skips: readonly Skip[], evidence: string): Promise<void> {
    if (skips.length === 0) return;
    const { db, now, counts } = this.base;
    const rows = skips.map(({ from, to }) => sql`(${from}, ${to}, ${evidence}, ${now})`);
    await db.execute`INSERT INTO framework_event_skips (from_position, to_position, evidence, recorded_at)
      VALUES ${sql.join(rows)} ON CONFLICT (from_position) DO NOTHING`; // another process may have recorded it first
    for (const { from, to } of skips) counts.skippedPositions += to - from + 1;
    this.sinceTrim += skips.length;
    if (this.sinceTrim < TRIM_EVERY) return;
    this.sinceTrim = 0;
    await db.execute`DELETE FROM framework_event_skips WHERE from_position < (
      SELECT from_position FROM framework_event_skips ORDER BY from_position DESC LIMIT 1 OFFSET ${MAX_SKIPS})`;
  }
}
