import type { Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import { sql } from "@framework/database";
import type { Kernel } from "@framework/durable/feature";

/** Dependencies of `Sweep`. */
export interface SweepParts {
  readonly kernel: Kernel;
  readonly keepSecs: number;
  readonly clock: Clock;
  readonly log: () => Logger;
}

const PERIOD_MS = 60_000;
const BATCH = 500;
const tables = ["framework_saga_steps", "framework_saga_inbox", "framework_saga_log"];

/** Once a minute, removes instances that ended more than `keepSecs` ago, 500 per transaction. */
export class Sweep {
  private readonly parts: SweepParts;
  private cancel = (): void => {};
  private running: Promise<void> = Promise.resolve();
  private hasEnded = false;

  constructor(parts: SweepParts) {
    this.parts = parts;
  }

  begin(): void {
    if (this.hasEnded) return;
    const { clock, log } = this.parts;
    this.cancel = clock.after(PERIOD_MS, () => {
      this.running = this.sweep()
        .catch((error: unknown) =>
          log().warn("saga: ended instances could not be removed; another attempt follows in a minute", {
            error,
          }),
        )
        .then(() => this.begin());
    });
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    this.cancel();
    await this.running;
  }

  /** Removes all instances whose retention has ended. */
  async sweep(): Promise<void> {
    while (!this.hasEnded && (await this.removeSome()) === BATCH);
  }

  private async removeSome(): Promise<number> {
    const { kernel, keepSecs } = this.parts;
    const { db, now } = kernel;
    const skipLocked = db.dialect === "postgres" ? sql`FOR UPDATE SKIP LOCKED` : sql``;
    return await db.transaction(async (tx) => {
      const old = await tx.query<{ id: string }>`SELECT id FROM framework_sagas
        WHERE finished_at <= ${now} - ${keepSecs * 1000} LIMIT ${BATCH} ${skipLocked}`;
      if (old.length === 0) return 0;
      const ids = sql.list(old.map(({ id }) => id));
      for (const table of tables)
        await tx.execute`DELETE FROM ${sql.identifier(table)} WHERE saga_id IN (${ids})`;
      await tx.execute`DELETE FROM framework_sagas WHERE id IN (${ids})`;
      return old.length;
    });
  }
}
