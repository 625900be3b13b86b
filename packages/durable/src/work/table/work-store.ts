import { Claiming } from "./claiming.ts";
import { Enqueueing } from "./enqueueing.ts";
import { KeyOrder } from "./key-order.ts";
import { Leasing } from "./leasing.ts";
import { Reading } from "./reading.ts";
import { Settling } from "./settling.ts";
import { Stopping } from "./stopping.ts";
import { Turnover } from "./turnover.ts";
import { WorkTable, type WorkTableOptions } from "./work-table.ts";

/** Operations on the work table, grouped into classes. */
export interface WorkStore {
  readonly table: WorkTable;
  readonly enqueueing: Enqueueing;
  readonly claiming: Claiming;
  readonly leasing: Leasing;
  readonly settling: Settling;
  readonly turnover: Turnover;
  readonly keyOrder: KeyOrder;
  readonly stopping: Stopping;
  readonly reading: Reading;
}

/** Opens the work table of a database. */
export const workStore = (options: WorkTableOptions): WorkStore => {
  const table = new WorkTable(options);
  const claiming = new Claiming(table);
  const settling = new Settling(table);
  return {
    table,
    enqueueing: new Enqueueing(table),
    claiming,
    leasing: new Leasing(table),
    settling,
    turnover: new Turnover(table, claiming, settling),
    keyOrder: new KeyOrder(table),
    stopping: new Stopping(table),
    reading: new Reading(table),
  };
};
