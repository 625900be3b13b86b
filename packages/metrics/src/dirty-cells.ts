import type { Total } from "@framework/core/feature";

/** The increments of one series since the last flush; the totals are in the shared state. */
export class Cell {
  /** Name of the series in the totals. */
  readonly key: string;
  /** Increments; after a change, call `DirtyCells.mark`. */
  gains: number[];
  isDirty = false;

  constructor(key: string, width: number) {
    this.key = key;
    this.gains = zeros(width);
  }
}

/** The cells changed since the last flush. */
export class DirtyCells {
  private cells: Cell[] = [];
  /** Called at the first change after a flush. */
  private readonly onFirstChange: () => void;

  constructor(onFirstChange: () => void) {
    this.onFirstChange = onFirstChange;
  }

  /** Marks a cell as changed. */
  mark(cell: Cell): void {
    if (cell.isDirty) return;
    cell.isDirty = true;
    if (this.cells.push(cell) === 1) this.onFirstChange();
  }

  /**
   * Yields the increments of the changed cells in batches and clears them. Cells of later batches keep counting during the iteration; cells that change
   * after their batch belong to the next flush. The caller must iterate to the end.
   */
  *take(size: number): Generator<Total[], void> {
    const { cells } = this;
    this.cells = [];
    for (let at = 0; at < cells.length; at += size) yield cells.slice(at, at + size).map(takeGains);
  }
}

const takeGains = (cell: Cell): Total => {
  const { key, gains } = cell;
  cell.gains = zeros(gains.length);
  cell.isDirty = false;
  return [key, gains];
};

const zeros = (width: number): number[] => Array.from({ length: width }, () => 0);
