import { Claiming } from "./claiming.ts";
import { Enqueueing } from "./enqueueing.ts";
import { KeyOrder } from "./key-order.ts";
import { Leasing } from "./leasing.ts";
import { Reading } from "./reading.ts";
import { Settling } from "./settling.ts";
import { Stopping } from "./stopping.ts";
import { WorkTable, type WorkTableOptions } from "./work-table.ts";

/** Every operation on the work table, each in a class of its own. */
export interface WorkStore {
  readonly table: WorkTable;
  readonly enqueueing: Enqueueing;
  readonly claiming: Claiming;
  readonly leasing: Leasing;
  readonly settling: Settling;
  readonly keyOrder: KeyOrder;
  readonly stopping: Stopping;
  readonly reading: Reading;
}

/** Opens the work table of a database. */
export const workStore = (options: WorkTableOptions): WorkStore => {
  const table = new WorkTable(options);
  return {
    table,
    enqueueing: new Enqueueing(table),
    claiming: new Claiming(table),
    leasing: new Leasing(table),
    settling: new Settling(table),
    keyOrder: new KeyOrder(table),
    stopping: new Stopping(table),
    reading: new Reading(table),
  };
};
