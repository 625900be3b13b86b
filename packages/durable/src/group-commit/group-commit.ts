import { HttpError } from "@framework/core";
import { markHandled } from "@framework/core/feature";
import type { Database, Queries, Transaction } from "@framework/database";

/**
 * Runs a function in a transaction, like `Database.transaction`.
 *
 * @param alone does the same as `run` in a single statement, which is its own transaction; called instead of `run` when no other unit shares the commit
 */
export type RunTransaction = <T>(
  run: (tx: Transaction) => Promise<T>,
  alone?: (queries: Queries) => Promise<T>,
) => Promise<T>;

/** Options of a group commit. */
export interface GroupCommitOptions {
  /** Maximum number of waiting units; more are rejected with 503. @default 10000 */
  readonly maxWaiting?: number;
  /** Maximum number of units of one transaction, which bounds the wait of other writers. @default 500 */
  readonly maxUnits?: number;
}

/** A caller's function, and the settlers of the promise returned to it. */
interface Unit {
  readonly run: (tx: Transaction) => Promise<unknown>;
  readonly alone: ((queries: Queries) => Promise<unknown>) | undefined;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Returns a function like `db.transaction`, for many small concurrent writes.
 *
 * On SQLite, calls during a commit share the next transaction, and thus one flush of the disk. Each unit has a savepoint, so a failing
 * unit rolls back only itself. A unit may run twice, as after a serialisation failure, and must have no effects outside the transaction; a slow one delays the
 * others. On PostgreSQL, which commits in parallel, it calls `alone`, or `db.transaction` if there is none.
 *
 * @returns the function, which rejects with HttpError 503 (DURABLE_BUSY) when `maxWaiting` units are waiting
 */
export const groupCommit = (
  db: Database,
  { maxWaiting = 10_000, maxUnits = 500 }: GroupCommitOptions = {},
): RunTransaction => {
  if (db.dialect === "postgres")
    return (run, alone) => (alone === undefined ? db.transaction(run) : alone(db));
  const group = new CommitGroup(db, maxWaiting, maxUnits);
  return (run, alone) => markHandled(group.add(run, alone));
};

class CommitGroup {
  private readonly db: Database;
  private readonly maxWaiting: number;
  private readonly maxUnits: number;
  private waiting: Unit[] = [];
  private isRunning = false;

  constructor(db: Database, maxWaiting: number, maxUnits: number) {
    this.db = db;
    this.maxWaiting = maxWaiting;
    this.maxUnits = maxUnits;
  }

  add<T>(
    run: (tx: Transaction) => Promise<T>,
    alone: ((queries: Queries) => Promise<T>) | undefined,
  ): Promise<T> {
    if (this.waiting.length >= this.maxWaiting) return Promise.reject(tooBusy(this.maxWaiting));
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.waiting.push({ run, alone, resolve, reject });
    if (!this.isRunning) {
      this.isRunning = true;
      queueMicrotask(() => this.drain()); // calls of the same synchronous code share the first transaction
    }
    return promise;
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const units = this.waiting.splice(0, this.maxUnits);
      if (units.length === 1) await this.alone(units[0] as Unit);
      else await this.together(units);
    }
    this.isRunning = false;
  }

  private async alone({ run, alone, resolve, reject }: Unit): Promise<void> {
    try {
      resolve((await (alone === undefined ? this.db.transaction(run) : alone(this.db))) as never);
    } catch (error) {
      reject(error);
    }
  }

  private async together(units: readonly Unit[]): Promise<void> {
    const done: [Unit, unknown][] = [];
    const failed: [Unit, unknown][] = [];
    let hasBegun = false;
    try {
      await this.db.transaction(async (tx) => {
        hasBegun = true;
        done.length = failed.length = 0; // the transaction may run again
        for (const unit of units) await inSavepoint(tx, unit, done, failed);
      });
    } catch (error) {
      if (!hasBegun) return units.forEach(({ reject }) => reject(error));
      // The commit failed, or the whole transaction was lost: one unit may be the cause, so each runs alone and gets its own error.
      for (const unit of units) await this.alone(unit);
      return;
    }
    for (const [{ resolve }, value] of done) resolve(value as never);
    for (const [{ reject }, error] of failed) reject(error);
  }
}

const inSavepoint = async (
  tx: Transaction,
  unit: Unit,
  done: [Unit, unknown][],
  failed: [Unit, unknown][],
): Promise<void> => {
  try {
    done.push([unit, await tx.transaction(unit.run)]);
  } catch (error) {
    failed.push([unit, error]);
  }
};

const tooBusy = (maxWaiting: number): HttpError =>
  new HttpError(503, "Too many changes are waiting", {
    code: "DURABLE_BUSY",
    headers: { "retry-after": "1" },
    cause: new Error(`durable: ${maxWaiting} transactions wait for the group commit`),
  });
