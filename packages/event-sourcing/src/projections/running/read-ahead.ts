import type { FinalPosition } from "../../global-order/frontier.ts";
import type { BatchRow } from "../shards/shard-batch.ts";

/** The next events of a shard. */
export interface NextBatch extends FinalPosition {
  /** Number of rows read, including rows of other shards. */
  readonly count: number;
  /** Rows of the shard, and rows with personal data, which are decoded and assigned to shards later. */
  readonly rows: readonly BatchRow[];
}

/**
 * Prefetches the batch after the one that is being applied; safe, because events never change. Holds at most one batch.
 *
 * The process decodes it while the transaction waits for PostgreSQL, except personal data, which may be forgotten before the batch is applied.
 */
export class ReadAhead {
  private readonly read: (after: number) => Promise<NextBatch>;
  private prefetch: { readonly after: number; readonly batch: Promise<NextBatch> } | null = null;

  constructor(read: (after: number) => Promise<NextBatch>) {
    this.read = read;
  }

  /** Starts to read the batch after a position. */
  begin(after: number): void {
    const batch = this.read(after);
    batch.catch(() => {}); // `take` rejects
    this.prefetch = { after, batch };
  }

  /** Returns the batch after a position, prefetched if possible. */
  async take(after: number): Promise<NextBatch> {
    const { prefetch } = this;
    this.prefetch = null;
    return await (prefetch?.after === after ? prefetch.batch : this.read(after));
  }
}
