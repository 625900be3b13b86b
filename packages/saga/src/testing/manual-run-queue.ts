import { type Database, sql, type Statement, type Transaction } from "@framework/database";
import type { RunClaim, SagaRef, RunQueue } from "../run-queue/run-queue.ts";

interface RunRow {
  readonly saga_id: string;
  readonly fence: number;
  readonly attempts: number;
}

/**
 * Run queue in a table, from which a test claims runs one by one, without timers and other processes. A claimed run stays in the table until it ends, so
 * after the loss of a worker another one can claim it, as after the end of a lease.
 */
export class ManualRunQueue implements RunQueue {
  private readonly now: Statement;
  private readonly watched = new Map<() => void, string>();

  constructor(now: Statement) {
    this.now = now;
  }

  /** Creates the table. */
  static async prepare(db: Database): Promise<void> {
    await db.execute(`CREATE TABLE IF NOT EXISTS framework_saga_test_runs
      (saga_id TEXT PRIMARY KEY, due_at BIGINT NOT NULL, fence BIGINT NOT NULL, attempts INTEGER NOT NULL)`);
  }

  async add(tx: Transaction, { id }: Pick<SagaRef, "id">, delayMs: number): Promise<void> {
    await tx.execute`INSERT INTO framework_saga_test_runs (saga_id, due_at, fence, attempts)
      VALUES (${id}, ${this.now} + ${Math.ceil(delayMs)}, 1, 0) ON CONFLICT (saga_id) DO NOTHING`;
  }

  /** Increases the fence, so that the worker that has claimed the run loses it. */
  async replace(tx: Transaction, { id }: SagaRef): Promise<void> {
    await tx.execute`INSERT INTO framework_saga_test_runs (saga_id, due_at, fence, attempts)
      VALUES (${id}, ${this.now}, 1, 0) ON CONFLICT (saga_id) DO UPDATE SET due_at = excluded.due_at,
      fence = framework_saga_test_runs.fence + 1, attempts = 0`;
  }

  async interrupt(tx: Transaction, { id }: SagaRef): Promise<void> {
    await tx.execute`INSERT INTO framework_saga_test_runs (saga_id, due_at, fence, attempts)
      VALUES (${id}, ${this.now}, 1, 0) ON CONFLICT (saga_id) DO UPDATE SET due_at = excluded.due_at`;
    tx.onCommit(() => {
      for (const [cancelled, of] of this.watched) if (of === id) cancelled();
    });
  }

  /** Claims a due run: the one with the fewest attempts, then the earliest, even if a worker has already claimed it; `null` if none is due. */
  async take(db: Database, signal: AbortSignal = new AbortController().signal): Promise<RunClaim | null> {
    const row = await db.transaction(async (tx) => {
      const first = await tx.fetchValue<string>`SELECT saga_id FROM framework_saga_test_runs
        WHERE due_at <= ${this.now} ORDER BY attempts, due_at, saga_id LIMIT 1`;
      return await tx.fetchOne<RunRow>`UPDATE framework_saga_test_runs SET fence = fence + 1, attempts = attempts + 1
        WHERE saga_id = ${first} RETURNING saga_id, fence, attempts`;
    });
    return row === null ? null : this.claimOf(row, signal);
  }

  private claimOf({ saga_id: id, fence, attempts: attempt }: RunRow, signal: AbortSignal): RunClaim {
    const held = sql`EXISTS (SELECT 1 FROM framework_saga_test_runs AS held WHERE held.saga_id = ${id} AND held.fence = ${fence})`;
    const isHeld = sql`saga_id = ${id} AND fence = ${fence}`;
    const end = async (tx: Transaction): Promise<void> => {
      const { changes } = await tx.execute`DELETE FROM framework_saga_test_runs WHERE ${isHeld}`;
      if (changes === 0) throw new Error("the claim is lost");
    };
    const again = async (tx: Transaction, delayMs: number): Promise<void> => {
      const { changes } = await tx.execute`UPDATE framework_saga_test_runs
        SET due_at = ${this.now} + ${Math.ceil(delayMs)}, fence = fence + 1, attempts = 0 WHERE ${isHeld}`;
      if (changes === 0) throw new Error("the claim is lost");
    };
    const onCancelled = (cancelled: () => void): (() => void) => {
      this.watched.set(cancelled, id);
      return () => void this.watched.delete(cancelled);
    };
    return { sagaId: id, attempt, signal, onCancelled, held, end, again };
  }
}
