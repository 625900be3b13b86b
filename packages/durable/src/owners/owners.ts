import { FrameworkError } from "@framework/core";
import type { HostInsight } from "@framework/core/feature";
import { sql } from "@framework/database";
import type { KernelBase } from "../base/kernel-base.ts";
import type { KernelPart } from "../base/kernel-life.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { LeasedTable } from "./leased-table.ts";
import type { Place } from "../place/place.ts";

/** Time since its last update after which an owner's row is removed. */
const REMOVE_AFTER_MS = 3_600_000;

/** How long an ended owner without rows stays registered: the database may still execute a statement that it sent, such as a claim. */
const UNREGISTER_AFTER_MS = 5000;

interface OwnerRow {
  readonly id: string;
  readonly pid: number;
  readonly started: string | null;
}

/**
 * The register of processes that own leases. Renews the leases of this process, and takes over the leases of ended
 * processes in the same place before they expire.
 */
export class Owners implements KernelPart {
  readonly name = "the register of owners";
  /** Number of ended owners that this process has unregistered. */
  goneCount = 0;
  private readonly base: KernelBase;
  private readonly heartbeats: Heartbeat[] = [];
  /** Ended owners, with the time at which each was first found to have no rows. */
  private clearedSince: ReadonlyMap<string, number> = new Map();
  private joining: Promise<void> | null = null;
  private here: Place | null = null;
  private hasStopped = false;
  private lastUpdate = 0;
  private cancelSweep = (): void => {};
  private sweeping: Promise<void> | null = null;

  constructor(base: KernelBase) {
    this.base = base;
  }

  /** Id of this owner. */
  get id(): string {
    return this.base.id;
  }

  /** Number of failed renewals, of all tables. */
  get failedRenewals(): number {
    return this.heartbeats.reduce((sum, { failures }) => sum + failures, 0);
  }

  /** Milliseconds since the last successful renewal, the maximum of all tables; 0 before `join`. */
  get sinceRenewalMs(): number {
    return Math.max(0, ...this.heartbeats.map((heartbeat) => heartbeat.sinceSuccessMs));
  }

  /** Renews a table's rows after `join`. */
  add(table: LeasedTable): void {
    this.heartbeats.push(new Heartbeat(this.base, table));
  }

  /** Registers this process and takes over from ended owners. Await it before rows are claimed. */
  join(): Promise<void> {
    this.joining ??= this.register().catch((error: unknown) => {
      this.joining = null; // the next call tries again
      throw error;
    });
    return this.joining;
  }

  private async register(): Promise<void> {
    await this.updateRow();
    await this.takeOver();
    if (this.hasStopped) return;
    for (const heartbeat of this.heartbeats) heartbeat.begin();
    this.sweepLater();
  }

  async stop(): Promise<void> {
    this.hasStopped = true;
    this.cancelSweep();
    await this.sweeping;
    await Promise.all(this.heartbeats.map((heartbeat) => heartbeat.end()));
    if (this.joining === null) return;
    await this.joining.catch(() => {}); // its caller got the error
    const { db, id } = this.base;
    await db.execute`DELETE FROM framework_owners WHERE id = ${id}`;
  }

  /** Takes over from every ended owner of this place, and unregisters an owner once it has had no rows for 5 s. Returns the number of ended owners. */
  async takeOver(): Promise<number> {
    const { db, id, place } = this.base;
    const here = (this.here ??= place());
    if (here.id === null) return 0;
    const rows = await db.query<OwnerRow>`SELECT id, pid, started FROM framework_owners
      WHERE place = ${here.id} AND id <> ${id}`;
    const goneOwners = rows.filter(({ pid, started }) => here.isGone(pid, started)).map((row) => row.id);
    let foundRows = 0;
    if (goneOwners.length > 0)
      for (const heartbeat of this.heartbeats) foundRows += await heartbeat.table.expire(goneOwners);
    const now = this.base.clock.now();
    this.clearedSince = new Map(
      foundRows > 0 ? [] : goneOwners.map((owner) => [owner, this.clearedSince.get(owner) ?? now]),
    );
    await this.unregister(
      goneOwners.filter((owner) => now - (this.clearedSince.get(owner) ?? now) >= UNREGISTER_AFTER_MS),
    );
    return goneOwners.length;
  }

  private async unregister(goneOwners: readonly string[]): Promise<void> {
    if (goneOwners.length === 0) return;
    const { changes } = await this.base.db
      .execute`DELETE FROM framework_owners WHERE id IN (${sql.list(goneOwners)})`;
    this.goneCount += changes;
  }

  /** Writes this owner's row, and removes rows that have not been updated for an hour. */
  private async updateRow(): Promise<void> {
    const { db, id, now, place } = this.base;
    const here = (this.here ??= place());
    await db.execute`INSERT INTO framework_owners (id, place, pid, started, seen_at)
      VALUES (${id}, ${here.id}, ${here.pid}, ${here.started}, ${now})
      ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`;
    await db.execute`DELETE FROM framework_owners WHERE seen_at < ${now} - ${REMOVE_AFTER_MS}`;
  }

  report(insight: HostInsight): void {
    const count = (name: string, help: string, read: () => number): HostInsight =>
      insight.metric({ name: `durable_${name}_total`, help, type: "counter", read });
    count(
      "owners_gone",
      "Ended processes of the same place whose leases were taken over.",
      () => this.goneCount,
    );
    count("renewal_failures", "Renewals of leases that failed.", () => this.failedRenewals);
    insight.healthCheck({ name: "durable", critical: false, run: () => this.checkRenewals() });
  }

  /** Work stops when the database is unavailable for a whole lease; the process may still serve requests. */
  private checkRenewals(): Readonly<Record<string, unknown>> {
    const { sinceRenewalMs, base } = this;
    if (sinceRenewalMs < base.config.leaseMs) return { owner: base.id, sinceRenewalMs };
    throw new FrameworkError("DURABLE_NOT_RENEWED", `leases were last renewed ${sinceRenewalMs} ms ago`);
  }

  private sweepLater(): void {
    const { clock, config } = this.base;
    this.cancelSweep = clock.after(config.pollMaxMs, () => {
      this.sweeping = this.sweep();
    });
  }

  private async sweep(): Promise<void> {
    try {
      await this.takeOver();
      // Others may have removed the row of a process that was suspended for long.
      if (this.base.clock.now() - this.lastUpdate > REMOVE_AFTER_MS / 60) {
        this.lastUpdate = this.base.clock.now();
        await this.updateRow();
      }
    } catch {
      // The next sweep tries again; renewals report an unavailable database.
    }
    if (!this.hasStopped) this.sweepLater();
  }
}
