import { FrameworkError } from "@framework/core";
import type { HostInsight } from "@framework/core/feature";
import { sql, type Transaction } from "@framework/database";
import type { KernelBase } from "../base/kernel-base.ts";
import type { KernelPart } from "../base/kernel-life.ts";
import type { LeasedTable } from "../owners/leased-table.ts";
import type { Owners } from "../owners/owners.ts";
import { type HeldLease, type HeldLeases, LeaseHold } from "./held-lease.ts";
import { LeaseLostError } from "./lease-lost-error.ts";
import { checkLock, claimOne, createOne, removeUnused, renewAll, shorten } from "./lease-statements.ts";

/** Maximum number of leases of one process, including lanes. */
const MAX_HELD = 10_000;

/** The leases that this process holds: claimed, renewed together, checked in transactions, released. */
export class Leases implements LeasedTable, HeldLeases, KernelPart {
  readonly name = "framework_leases";
  /** Number of writes refused because the lease had another owner. */
  staleWrites = 0;
  /** Number of leases lost to other owners, or not renewed in time. */
  lostLeases = 0;
  private readonly base: KernelBase;
  private readonly owners: Owners;
  private readonly onExpired: () => void;
  private readonly holds = new Map<string, LeaseHold>();
  private readonly claiming = new Set<string>();
  private hasStopped = false;

  /** @param onExpired called when leases of ended owners have become free */
  constructor(base: KernelBase, owners: Owners, onExpired: () => void) {
    this.base = base;
    this.owners = owners;
    this.onExpired = onExpired;
    owners.add(this);
  }

  /** Number of leases held. */
  get held(): number {
    return this.holds.size;
  }

  /** Claims a lease. Returns `null` if another process owns it, if this one already holds it or 10,000 leases, and once the kernel is stopping. */
  async acquire(kind: string, name: string): Promise<HeldLease | null> {
    checkName(kind);
    checkName(name);
    await this.owners.join();
    const key = keyOf(kind, name);
    const isFull = this.held + this.claiming.size >= MAX_HELD;
    if (this.hasStopped || this.holds.has(key) || this.claiming.has(key) || isFull) return null;
    this.claiming.add(key);
    try {
      const fence = await this.claim(kind, name);
      if (fence === null) return null;
      const hold = this.hold(kind, name, fence);
      if (!this.hasStopped) return hold;
      await hold.release();
      return null;
    } finally {
      this.claiming.delete(key);
    }
  }

  private async claim(kind: string, name: string): Promise<number | null> {
    const { db } = this.base;
    const fence = await db.fetchValue<number>(claimOne(this.base, kind, name));
    if (fence !== null) return fence;
    const { changes } = await db.execute(createOne(this.base, kind, name));
    return changes === 0 ? null : await db.fetchValue<number>(claimOne(this.base, kind, name));
  }

  /** Registers a lease that this process has just claimed. A hold with an earlier fence is lost. */
  hold(kind: string, name: string, fence: number): LeaseHold {
    const key = keyOf(kind, name);
    const before = this.holds.get(key);
    if (before !== undefined) this.lose(before, "this process claimed it again");
    const hold = new LeaseHold(kind, name, fence, this);
    this.holds.set(key, hold);
    return hold;
  }

  async check(hold: LeaseHold, tx: Transaction): Promise<void> {
    const { kind, name, fence } = hold;
    const { db, id } = this.base;
    const found = await tx.fetchValue`SELECT 1 FROM framework_leases
      WHERE kind = ${kind} AND name = ${name} AND owner = ${id} AND fence = ${fence} ${checkLock[db.dialect]}`;
    if (found !== null) return;
    this.staleWrites++;
    this.lose(hold, "another process owns it");
    throw new LeaseLostError(labelOf(hold), "another process owns it");
  }

  async release(hold: LeaseHold): Promise<void> {
    const { kind, name, fence } = hold;
    const { db, id, log } = this.base;
    this.forget(hold); // if the statement fails, the lease is no longer renewed and expires
    try {
      await db.execute`UPDATE framework_leases SET owner = NULL, lease_until = 0
        WHERE kind = ${kind} AND name = ${name} AND owner = ${id} AND fence = ${fence}`;
    } catch (error) {
      log.warn(`durable: the lease "${labelOf(hold)}" could not be released and will expire`, { error });
    }
  }

  async renew(signal: AbortSignal): Promise<void> {
    const holds = [...this.holds.values()];
    if (holds.length === 0) return;
    const rows = await this.base.db
      .until(signal, { isUrgent: true })
      .query<{ kind: string; name: string }>(renewAll(this.base, holds));
    const renewed = new Set(rows.map(({ kind, name }) => keyOf(kind, name)));
    for (const hold of holds) {
      if (!renewed.has(keyOf(hold.kind, hold.name))) this.lose(hold, "another process owns it");
    }
  }

  async expire(owners: readonly string[]): Promise<number> {
    const { changes } = await this.base.db.execute`UPDATE framework_leases SET lease_until = 0
      WHERE owner IN (${sql.list(owners)}) AND lease_until > 0`;
    if (changes > 0) this.onExpired();
    return changes;
  }

  lost(): void {
    for (const hold of this.holds.values()) this.lose(hold, "it could not be renewed in time");
  }

  async begin(): Promise<void> {
    await this.base.db.execute(removeUnused(this.base));
    for (const statement of shorten(this.base)) await this.base.db.execute(statement);
  }

  async stop(): Promise<void> {
    this.hasStopped = true;
    if (this.holds.size === 0) return;
    for (const hold of this.holds.values()) hold.abort(new Error("the process stops"));
    this.holds.clear();
    const { db, id } = this.base;
    await db.execute`UPDATE framework_leases SET owner = NULL, lease_until = 0 WHERE owner = ${id}`;
  }

  report(insight: HostInsight): void {
    insight.metric({
      name: "durable_leases_held",
      help: "Leases held, lanes included.",
      type: "gauge",
      read: () => this.held,
    });
    insight.metric({
      name: "durable_leases_lost_total",
      help: "Leases lost to other processes, or not renewed in time.",
      type: "counter",
      read: () => this.lostLeases,
    });
    insight.metric({
      name: "durable_stale_writes_total",
      help: "Transactions refused because another process owned their lease.",
      type: "counter",
      read: () => this.staleWrites,
    });
  }

  private lose(hold: LeaseHold, reason: string): void {
    if (!this.forget(hold)) return;
    this.lostLeases++;
    hold.abort(new LeaseLostError(labelOf(hold), reason));
  }

  /** Stops renewing a lease. Returns whether it was held. */
  private forget(hold: LeaseHold): boolean {
    const key = keyOf(hold.kind, hold.name);
    return this.holds.get(key) === hold && this.holds.delete(key);
  }
}

const keyOf = (kind: string, name: string): string => `${kind}\n${name}`; // names have no line ends

const labelOf = ({ kind, name }: LeaseHold): string => `${kind} ${name}`;

/** Checks the kind or name of a lease, or the kind of lanes. @throws DURABLE_BAD_NAME */
export const checkName = (name: string): void => {
  if (typeof name === "string" && /^[\x20-\x7E]{1,200}$/.test(name)) return;
  throw new FrameworkError(
    "DURABLE_BAD_NAME",
    `durable: a kind or name must have 1 to 200 printable ASCII characters, not ${JSON.stringify(name)}`,
  );
};
