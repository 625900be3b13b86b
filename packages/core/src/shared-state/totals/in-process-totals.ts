import { checkKey } from "../values/state-bounds.ts";
import { checkTotals, TotalTable } from "./total-table.ts";
import type { Totals } from "./totals.ts";

/** The bound of totals in this process. */
export interface InProcessTotalsOptions {
  /** Most characters of all names, with 8 for each total. @default 16777216 */
  readonly maxSize?: number;
}

/** Totals of a service that runs in one process. Never waits. */
export const inProcessTotals = ({ maxSize = 16_777_216 }: InProcessTotalsOptions = {}): Totals => {
  const table = new TotalTable(maxSize);
  return {
    add(key, amounts) {
      checkTotals(key, amounts);
      table.add(key, amounts);
    },
    read(key) {
      checkKey(key);
      return table.read(key);
    },
  };
};
