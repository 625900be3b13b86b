import type { KernelBase } from "../base/kernel-base.ts";
import { groupCommit, type RunTransaction } from "../group-commit/group-commit.ts";
import { LEASE_TABLES, leaseTables } from "../leases/lease-tables.ts";
import type { HeldLease } from "../leases/held-lease.ts";
import { Leases } from "../leases/leases.ts";
import type { Lanes, LanesOptions } from "../lanes/lane.ts";
import { LANES_CHANNEL, LaneSets } from "../lanes/lane-sets.ts";
import { Membership } from "../lanes/membership.ts";
import { Owners } from "../owners/owners.ts";
import { WakeUp } from "../wake-up/wake-up.ts";

/** Members of the kernel, each from the folder of its part. */
export interface KernelMembers {
  /** Tells other processes that there is work. */
  readonly wakeUp: WakeUp;
  /**
   * Shares work of one kind over all processes: each lane runs in one of them at a time, fairly distributed, and moves when a process comes, goes or dies.
   * Nothing runs in a process with `runWork: false`.
   *
   * @throws DURABLE_BAD_NAME, DURABLE_BAD_LANES
   */
  lanes(options: LanesOptions): Lanes;
  /**
   * Claims a lease for work that only one process may do; `null` when another one owns it. It is renewed until it is released or lost.
   *
   * @param kind what it is for; `kind` and `name` have 1 to 200 printable ASCII characters
   * @throws DURABLE_BAD_NAME
   */
  acquireLease(kind: string, name: string): Promise<HeldLease | null>;
  /** Runs a function in a transaction; on SQLite many small ones share a commit. @throws HttpError 503 (DURABLE_BUSY) when 10,000 wait */
  readonly transaction: RunTransaction;
}

/** Creates the parts of a kernel. They begin in the order of `life.add`, and stop in reverse. */
export const kernelMembers = (base: KernelBase): KernelMembers => {
  base.tables.add(LEASE_TABLES, leaseTables);
  const wakeUp = new WakeUp(base);
  const owners = new Owners(base);
  const freed = (): void => wakeUp.signal(LANES_CHANNEL);
  const membership = new Membership(base, freed); // before the leases: renewed first, it does not outlive them
  owners.add(membership);
  const leases = new Leases(base, owners, freed);
  const lanes = new LaneSets(base, { owners, leases, membership, wakeUp });
  for (const part of [owners, wakeUp, leases, lanes]) base.life.add(part);
  let transaction: RunTransaction | null = null;
  return {
    wakeUp,
    lanes: (options) => lanes.add(options),
    acquireLease: (kind, name) => leases.acquire(kind, name),
    transaction: (run) => (transaction ??= groupCommit(base.db))(run), // the database of an app is known later
  };
};
