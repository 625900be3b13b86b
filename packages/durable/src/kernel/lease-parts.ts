import type { KernelBase } from "../base/kernel-base.ts";
import { LANES_CHANNEL, LaneSets } from "../lanes/lane-sets.ts";
import { Membership } from "../lanes/membership.ts";
import { LEASE_TABLES, leaseTables } from "../leases/lease-tables.ts";
import { Leases } from "../leases/leases.ts";
import { Owners } from "../owners/owners.ts";
import { WakeUp } from "../wake-up/wake-up.ts";

/** Owners, leases and lanes of one process. */
export interface LeaseParts {
  readonly wakeUp: WakeUp;
  readonly owners: Owners;
  readonly membership: Membership;
  readonly leases: Leases;
  readonly lanes: LaneSets;
}

/** Creates owners, leases and lanes, and registers their tables and lifecycles with the kernel. */
export const leaseParts = (base: KernelBase): LeaseParts => {
  base.tables.add(LEASE_TABLES, leaseTables);
  const wakeUp = new WakeUp(base);
  const owners = new Owners(base);
  const onFreed = (): void => wakeUp.signal(LANES_CHANNEL);
  const membership = new Membership(base, onFreed);
  owners.add(membership);
  const leases = new Leases(base, owners, onFreed);
  const lanes = new LaneSets(base, { owners, leases, membership, wakeUp });
  for (const part of [owners, wakeUp, leases, lanes]) base.life.add(part);
  return { wakeUp, owners, membership, leases, lanes };
};
