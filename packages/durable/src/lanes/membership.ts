import { sql } from "@framework/database";
import type { KernelBase } from "../base/kernel-base.ts";
import type { LeasedTable } from "../owners/leased-table.ts";

/** Time after the end of its lease at which a member's row is removed. */
const REMOVE_AFTER_MS = 3_600_000;

/** The memberships of this process in kinds of lanes. Only members whose lease has not expired count for the shares. */
export class Membership implements LeasedTable {
  readonly name = "framework_lane_members";
  private readonly base: KernelBase;
  private readonly onExpired: () => void;
  private readonly kinds = new Set<string>();

  /** @param onExpired called when members of ended processes have been removed */
  constructor(base: KernelBase, onExpired: () => void) {
    this.base = base;
    this.onExpired = onExpired;
  }

  async join(kind: string, lanes: number): Promise<void> {
    const { db, id, now, config } = this.base;
    this.kinds.add(kind);
    await db.execute`DELETE FROM framework_lane_members WHERE lease_until < ${now} - ${REMOVE_AFTER_MS}`;
    await db.execute`INSERT INTO framework_lane_members (kind, owner, lanes, joined_at, lease_until)
      VALUES (${kind}, ${id}, ${lanes}, ${now}, ${now} + ${config.leaseMs})
      ON CONFLICT (kind, owner) DO UPDATE SET lanes = excluded.lanes, lease_until = excluded.lease_until`;
  }

  async leave(kind: string): Promise<void> {
    const { db, id } = this.base;
    this.kinds.delete(kind); // if the statement fails, the row expires
    await db.execute`DELETE FROM framework_lane_members WHERE kind = ${kind} AND owner = ${id}`;
  }

  async renew(signal: AbortSignal): Promise<void> {
    const { db, id, now, config } = this.base;
    if (this.kinds.size === 0) return;
    await db.until(signal, { isUrgent: true })
      .execute`UPDATE framework_lane_members SET lease_until = ${now} + ${config.leaseMs}
      WHERE owner = ${id} AND kind IN (${sql.list([...this.kinds])})`;
  }

  async expire(owners: readonly string[]): Promise<number> {
    const { changes } = await this.base.db.execute`DELETE FROM framework_lane_members
      WHERE owner IN (${sql.list(owners)})`;
    if (changes > 0) this.onExpired();
    return changes;
  }
}
