import type { KernelBase } from "../base/kernel-base.ts";
import type { LeasedTable } from "./leased-table.ts";

/** Renewals per lease: two may fail before it expires. */
const RENEWALS = 3;

/** Renews the rows of one table every third of a lease, and reports them as lost when no renewal has succeeded for a whole lease. */
export class Heartbeat {
  readonly table: LeasedTable;
  /** Number of failed renewals. */
  failures = 0;
  private readonly base: KernelBase;
  private lastSuccess: number | null = null;
  private cancel = (): void => {};
  private renewing: Promise<void> = Promise.resolve();
  private hasEnded = false;

  constructor(base: KernelBase, table: LeasedTable) {
    this.base = base;
    this.table = table;
  }

  get sinceSuccessMs(): number {
    return this.lastSuccess === null ? 0 : this.base.clock.now() - this.lastSuccess;
  }

  begin(): void {
    this.lastSuccess = this.base.clock.now();
    this.schedule(this.lastSuccess);
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    this.cancel();
    await this.renewing;
  }

  /** Schedules the next renewal. @param before start of the previous one: a renewal that takes long does not delay the next one */
  private schedule(before: number): void {
    if (this.hasEnded) return;
    const { clock, config } = this.base;
    const restMs = before + config.leaseMs / RENEWALS - clock.now();
    const renew = (): void => void (this.renewing = this.renew());
    if (restMs > 0) this.cancel = clock.after(restMs, renew);
    else renew();
  }

  /** Renews once. Aborted when the next renewal is due, so that a hanging statement does not outlast the lease. */
  private async renew(): Promise<void> {
    const { clock, config, log } = this.base;
    const began = clock.now();
    const timeout = new AbortController();
    const cancelTimeout = clock.after(config.leaseMs / RENEWALS, () =>
      timeout.abort(new Error("the database did not reply in time")),
    );
    try {
      await this.table.renew(timeout.signal);
      this.lastSuccess = began; // conservative: the database renewed later than this
    } catch (error) {
      this.failures++;
      log.warn(`durable: the leases in ${this.table.name} could not be renewed`, { error });
      if (this.sinceSuccessMs >= config.leaseMs) this.table.lost?.();
    } finally {
      cancelTimeout();
      this.schedule(began);
    }
  }
}
