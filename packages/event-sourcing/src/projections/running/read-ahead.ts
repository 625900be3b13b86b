import type { Decided } from "../../global-order/frontier.ts";
import type { BatchRow } from "../shards/shard-batch.ts";

/** What a shard does next: events up to a position. */
export interface NextBatch extends Decided {
  /** Number of rows that were read, also those of other shards. */
  readonly count: number;
  /** The rows of the shard, and those of which only their transaction finds out. */
  readonly rows: readonly BatchRow[];
}

/**
 * Reads the batch after the one that is being applied: events never change, so that it is the same later. At most one batch is held.
 *
 * So this process decodes while the transaction waits for PostgreSQL; all but personal data, which may be forgotten until the batch is applied.
 */
export class ReadAhead {
  private readonly read: (after: number) => Promise<NextBatch>;
  private begun: { readonly after: number; readonly batch: Promise<NextBatch> } | null = null;

  constructor(read: (after: number) => Promise<NextBatch>) {
    this.read = read;
  }

  /** Begins to read the batch after a position. */
  begin(after: number): void {
    const batch = this.read(after);
    batch.catch(() => {}); // `take` rejects
    this.begun = { after, batch };
  }

  /** The batch after a position: the one that was begun, when it is that. */
  async take(after: number): Promise<NextBatch> {
    const { begun } = this;
    this.begun = null;
    return await (begun?.after === after ? begun.batch : this.read(after));
  }
}
