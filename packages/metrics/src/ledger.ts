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

  /** Returns and clears all increments. */
  take(): Total[] {
    const { touched } = this;
    this.touched = [];
    return touched.map((cell) => {
      const { gains } = cell;
      cell.gains = zeros(gains.length);
      cell.isTouched = false;
      return [cell.key, gains];
    });
  }
}

const zeros = (width: number): number[] => Array.from({ length: width }, () => 0);
