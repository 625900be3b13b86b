import type { Clock } from "@framework/core/feature";
import { sql } from "@framework/database";
import type { Kernel } from "@framework/durable/feature";

/** Time between two sweeps, and maximum number of rows per statement, because other writers wait for it. */
const PERIOD_MS = 60_000;
const BATCH = 1000;

/** Removes expired idempotency keys once a minute. */
export class KeySweep {
  private readonly kernel: Kernel;
  private readonly clock: Clock;
  private readonly onError: (error: unknown) => void;
  private cancel = (): void => {};
  private running: Promise<void> = Promise.resolve();
  private hasEnded = false;

  constructor(kernel: Kernel, clock: Clock, onError: (error: unknown) => void) {
    this.kernel = kernel;
    this.clock = clock;
    this.onError = onError;
  }

  begin(): void {
    if (this.hasEnded) return;
    this.cancel = this.clock.after(PERIOD_MS, () => {
      this.running = this.sweep()
        .catch(this.onError)
        .then(() => this.begin());
    });
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    this.cancel();
    await this.running;
  }

  /** Removes expired keys, except keys that a running handler holds. Returns their number. */
  async sweep(): Promise<number> {
    const { db, now } = this.kernel;
    const skipLocked = db.dialect === "postgres" ? sql`FOR UPDATE SKIP LOCKED` : sql``;
    for (let removed = 0; ;) {
      const { changes } = await db.execute`DELETE FROM framework_idempotency_keys WHERE id IN
        (SELECT id FROM framework_idempotency_keys WHERE expires_at <= ${now}
          AND (lease_until IS NULL OR lease_until <= ${now}) LIMIT ${BATCH} ${skipLocked})`;
      removed += changes;
      if (changes < BATCH || this.hasEnded) return removed;
    }
  }
}
