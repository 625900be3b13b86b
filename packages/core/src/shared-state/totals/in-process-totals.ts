import { checkKey } from "../values/state-bounds.ts";
import { checkPosition, checkTotals, TotalTable } from "./total-table.ts";
import type { Totals } from "./totals.ts";

/** The bound on totals in this process. */
export interface InProcessTotalsOptions {
  /** Maximum number of characters of all names, plus 8 per total. @default 16777216 */
  readonly maxSize?: number;
}

/** Creates the totals of a single-process service. Calls return synchronously. */
export const inProcessTotals = ({ maxSize = 16_777_216 }: InProcessTotalsOptions = {}): Totals => {
  const table = new TotalTable(maxSize);
  return {
    add(key, amounts) {
      checkTotals(key, amounts);
      table.add(key, amounts);
    },
    read(key, from = 0) {
      checkKey(key);
      checkPosition(from);
      return table.read(key, from);
    },
  };
};
