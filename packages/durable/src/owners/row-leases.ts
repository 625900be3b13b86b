import type { KernelBase } from "../base/kernel-base.ts";
import type { LeasedTable } from "./leased-table.ts";
import type { Owners } from "./owners.ts";

/** What a feature needs to lease rows of its own table. */
export interface RowLeases {
  /** Value of the rows' column for the owner: this process. */
  readonly owner: string;
  /** Duration of a lease in milliseconds, read when it is used: an app may be configured later. */
  readonly leaseMs: number;
  /** Registers this process; await it before the first row is claimed. */
  join(): Promise<void>;
}

/** Renews the rows of a table with those of the kernel. */
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
