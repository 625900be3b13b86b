import type { Total } from "@framework/core/feature";

/** The increments of one series since the last flush; the totals are in the shared state. */
export class Cell {
  /** Name of the series in the totals. */
  readonly key: string;
  /** Increments; after a change, call `Ledger.touch`. */
  gains: number[];
  isTouched = false;

  constructor(key: string, width: number) {
    this.key = key;
    this.gains = zeros(width);
  }
}

/** The changed cells, which the next flush sends. */
export class Ledger {
  private touched: Cell[] = [];
  /** Called at the first touch after a flush. */
  private readonly onFirst: () => void;

  constructor(onFirst: () => void) {
    this.onFirst = onFirst;
  }

  /** Marks a cell as changed. */
  touch(cell: Cell): void {
    if (cell.isTouched) return;
    cell.isTouched = true;
    if (this.touched.push(cell) === 1) this.onFirst();
  }

  /**
   * Yields the increments of the changed cells in batches and clears them. Cells of later batches go on counting meanwhile; cells that change
   * after their batch belong to the next flush. To be read to its end.
   */
  *take(size: number): Generator<Total[], void> {
    const { touched } = this;
    this.touched = [];
    for (let at = 0; at < touched.length; at += size) yield touched.slice(at, at + size).map(taken);
  }
}

const taken = (cell: Cell): Total => {
  const { key, gains } = cell;
  cell.gains = zeros(gains.length);
  cell.isTouched = false;
  return [key, gains];
};

const zeros = (width: number): number[] => Array.from({ length: width }, () => 0);
