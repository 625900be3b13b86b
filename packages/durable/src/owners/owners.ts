import { FrameworkError } from "@framework/core";
import type { HostInsight } from "@framework/core/feature";
import { sql } from "@framework/database";
import type { KernelBase } from "../base/kernel-base.ts";
import type { KernelPart } from "../base/kernel-life.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { LeasedTable } from "./leased-table.ts";
import type { Place } from "../place/place.ts";

/** Rows of owners that have not been seen for so long are removed. */
const FORGOTTEN_MS = 3_600_000;

/** Time that an owner which is gone stays registered: the database may still execute what it had sent, such as a claim. */
const LATE_MS = 5000;

interface OwnerRow {
  readonly id: string;
  readonly pid: number;
  readonly started: string | null;
}

/**
 * The register of processes that own leases. Keeps this process's leases renewed, and takes over those of processes of the same place that have ended,
 * without waiting for their leases.
 */
export class Owners implements KernelPart {
  readonly name = "the register of owners";
  /** Owners found gone by this process. */
  gone = 0;
  private readonly base: KernelBase;
  private readonly heartbeats: Heartbeat[] = [];
  /** When each owner that is gone was first found without rows. */
  private cleared: ReadonlyMap<string, number> = new Map();
  private joined: Promise<void> | null = null;
  private here: Place | null = null;
  private hasStopped = false;
  private lastSeen = 0;
  private cancelSweep = (): void => {};
  private sweeping: Promise<void> | null = null;

  constructor(base: KernelBase) {
    this.base = base;
  }

  /** Id of this owner. */
  get id(): string {
    return this.base.id;
  }

  /** Renewals that failed, of all tables. */
  get failedRenewals(): number {
    return this.heartbeats.reduce((sum, { failures }) => sum + failures, 0);
  }

  /** Milliseconds since the last successful renewal of the table where that is longest ago; 0 before `join`. */
  get sinceRenewalMs(): number {
    return Math.max(0, ...this.heartbeats.map((heartbeat) => heartbeat.sinceSuccessMs));
  }

  /** Keeps a table's rows leased from `join` on. Tables are renewed in the order added. */
  add(table: LeasedTable): void {
    this.heartbeats.push(new Heartbeat(this.base, table));
  }

  /** Registers this process and takes over from owners that are gone. Every part that claims rows awaits it first. */
  join(): Promise<void> {
    this.joined ??= this.register().catch((error: unknown) => {
      this.joined = null; // the next call tries again
      throw error;
    });
    return this.joined;
  }

  private async register(): Promise<void> {
    await this.seen();
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
    if (this.joined === null) return;
    await this.joined.catch(() => {}); // its caller got the error
    const { db, id } = this.base;
    await db.execute`DELETE FROM framework_owners WHERE id = ${id}`;
  }

  /** Takes over from every owner of this place that is gone, and forgets those that have had no rows for 5 seconds. Returns the number of owners that are gone. */
  async takeOver(): Promise<number> {
    const { db, id, place } = this.base;
    const here = (this.here ??= place());
    if (here.id === null) return 0;
    const rows = await db.query<OwnerRow>`SELECT id, pid, started FROM framework_owners
      WHERE place = ${here.id} AND id <> ${id}`;
    const gone = rows.filter(({ pid, started }) => here.isGone(pid, started)).map((row) => row.id);
    let found = 0;
    if (gone.length > 0) for (const heartbeat of this.heartbeats) found += await heartbeat.table.expire(gone);
    const now = this.base.clock.now();
    this.cleared = new Map(found > 0 ? [] : gone.map((owner) => [owner, this.cleared.get(owner) ?? now]));
    await this.forget(gone.filter((owner) => now - (this.cleared.get(owner) ?? now) >= LATE_MS));
    return gone.length;
  }

  private async forget(gone: readonly string[]): Promise<void> {
    if (gone.length === 0) return;
    const { changes } = await this.base.db
      .execute`DELETE FROM framework_owners WHERE id IN (${sql.list(gone)})`;
    this.gone += changes;
  }

  /** Writes this owner's row, and removes the rows of owners that have been gone for an hour. */
  private async seen(): Promise<void> {
    const { db, id, now, place } = this.base;
    const here = (this.here ??= place());
    await db.execute`INSERT INTO framework_owners (id, place, pid, started, seen_at)
      VALUES (${id}, ${here.id}, ${here.pid}, ${here.started}, ${now})
      ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`;
    await db.execute`DELETE FROM framework_owners WHERE seen_at < ${now} - ${FORGOTTEN_MS}`;
  }

  report(insight: HostInsight): void {
    const count = (name: string, help: string, read: () => number): HostInsight =>
      insight.metric({ name: `durable_${name}_total`, help, type: "counter", read });
    count(
      "owners_gone",
      "Processes of the same place found gone, whose leases were taken over.",
      () => this.gone,
    );
    count("renewal_failures", "Renewals of leases that failed.", () => this.failedRenewals);
    insight.healthCheck({ name: "durable", critical: false, run: () => this.checkRenewals() });
  }

  /** Work stops when the database is away for a whole lease; requests may still be served. */
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
      // The row is written again in case others took this process for gone long ago.
      if (this.base.clock.now() - this.lastSeen > FORGOTTEN_MS / 60) {
        this.lastSeen = this.base.clock.now();
        await this.seen();
      }
    } catch {
      // The next sweep tries again; renewals report a database that is away.
    }
    if (!this.hasStopped) this.sweepLater();
  }
}
