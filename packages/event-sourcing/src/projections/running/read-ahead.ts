import type { RowBatch } from "../../global-order/global-reader.ts";

/** Reads the batch after the one that is being applied: events never change, so that it is the same later. At most one batch is held. */
export class ReadAhead {
  private readonly read: (after: number) => Promise<RowBatch>;
  private begun: { readonly after: number; readonly batch: Promise<RowBatch> } | null = null;

  constructor(read: (after: number) => Promise<RowBatch>) {
    this.read = read;
  }

  /** Begins to read the batch after a position. */
  begin(after: number): void {
    const batch = this.read(after);
    batch.catch(() => {}); // `take` rejects
    this.begun = { after, batch };
  }

  /** The batch after a position: the one that was begun, when it is that. */
  async take(after: number): Promise<RowBatch> {
    const { begun } = this;
    this.begun = null;
    return await (begun?.after === after ? begun.batch : this.read(after));
  }
}
