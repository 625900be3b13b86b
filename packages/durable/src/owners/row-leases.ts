import type { KernelBase } from "../base/kernel-base.ts";
import type { LeasedTable } from "./leased-table.ts";
import type { Owners } from "./owners.ts";

/** Leases rows of a feature's own table. */
export interface RowLeases {
  /** Id of this process, the value of the rows' `owner` column. */
  readonly owner: string;
  /** Duration of a lease in milliseconds. Read it lazily: the app may be configured later. */
  readonly leaseMs: number;
  /** Registers this process. Await it before the first row is claimed. */
  join(): Promise<void>;
}

/** Renews the rows of a table together with the rows of the kernel. */
export const leaseRows = (base: KernelBase, owners: Owners, table: LeasedTable): RowLeases => {
  owners.add(table);
  return {
    owner: owners.id,
    get leaseMs() {
      return base.config.leaseMs;
    },
    join: () => owners.join(),
  };
};
