import type { Total } from "@framework/core/feature";

/** What one series has gained since it was last sent to the totals; the totals themselves are in the shared state. */
export class Cell {
  /** Name of the series in the totals. */
  readonly key: string;
  /** Gains, which whoever adds to them reports with `Ledger.touch`. */
  gains: number[];
  isTouched = false;

  constructor(key: string, width: number) {
    this.key = key;
    this.gains = zeros(width);
  }
}

/** The cells that gained something: what has to be sent, and nothing else. */
export class Ledger {
  private touched: Cell[] = [];
  /** Called when the first cell is touched after everything was taken. */
  private readonly onFirst: () => void;

  constructor(onFirst: () => void) {
    this.onFirst = onFirst;
  }

  /** Notes that a cell gained something. */
  touch(cell: Cell): void {
    if (cell.isTouched) return;
    cell.isTouched = true;
    if (this.touched.push(cell) === 1) this.onFirst();
  }

  /** All gains, each given once. */
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
