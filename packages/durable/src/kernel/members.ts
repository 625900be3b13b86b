import type { KernelBase } from "../base/kernel-base.ts";
import { groupCommit, type RunTransaction } from "../group-commit/group-commit.ts";
import { LEASE_TABLES, leaseTables } from "../leases/lease-tables.ts";
import { Owners } from "../owners/owners.ts";
import { WakeUp } from "../wake-up/wake-up.ts";

/** Members of the kernel, each from the folder of its part. */
export interface KernelMembers {
  /** Tells other processes that there is work. */
  readonly wakeUp: WakeUp;
  /** Runs a function in a transaction; on SQLite many small ones share a commit. @throws HttpError 503 (DURABLE_BUSY) when 10,000 wait */
  readonly transaction: RunTransaction;
}

/** Creates the parts of a kernel. They begin in the order of `life.add`, and stop in reverse. */
export const kernelMembers = (base: KernelBase): KernelMembers => {
  base.tables.add(LEASE_TABLES, leaseTables);
  const wakeUp = new WakeUp(base);
  const owners = new Owners(base);
  base.life.add(owners);
  base.life.add(wakeUp);
  let transaction: RunTransaction | null = null;
  return {
    wakeUp,
    transaction: (run) => (transaction ??= groupCommit(base.db))(run), // the database of an app is known later
  };
};
