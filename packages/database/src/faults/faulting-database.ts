import type {
  Database,
  ListenOptions,
  Queries,
  Transaction,
  TransactionOptions,
  UntilOptions,
} from "../queries.ts";
import { type Crash, CrashingProcess } from "./crashing-process.ts";
import { FaultingCalls } from "./faulting-queries.ts";
import { runLevel } from "./faulting-transaction.ts";

/** The statement at which `faultingDatabase` fails. */
export interface FaultOptions extends Partial<Crash> {
  /** Number of the statement, from 1, as in `Crash`. @default none: statements are only counted */
  readonly at?: number;
  /** Before the statement, or after it took effect. @default "before" */
  readonly when?: "before" | "after";
  /** Called at the fault, before the rollbacks; `() => process.kill(process.pid, "SIGKILL")` makes it a real crash. */
  readonly onCrash?: () => void;
}

/** A database, as used by a process that dies at a given statement. */
export interface FaultingDatabase extends Database {
  /** Number of statements so far, including the one at which it failed. */
  readonly statements: number;
  /** Whether the fault has happened. */
  readonly isDead: boolean;
}

/**
 * Wraps a database for one process of a crash test: it fails at one statement, as if the process were killed there.
 *
 * All open transactions are then rolled back immediately, even if their functions are still waiting. Later calls reject with `DatabaseUnavailableError`, a
 * transaction that had reached its commit with `CommitUnknownError`, and nothing more is sent; callbacks of `onCommit` and listeners are not called.
 * `close` waits until this is done and leaves `db` open for the next process.
 */
export const faultingDatabase = (
  db: Database,
  { at, when = "before", onCrash = () => {} }: FaultOptions = {},
): FaultingDatabase =>
  new CrashingDatabase(db, new CrashingProcess(at === undefined ? null : { at, when }, onCrash));

class CrashingDatabase extends FaultingCalls implements FaultingDatabase {
  readonly dialect: "sqlite" | "postgres";
  readonly maxTransactions: number;
  private readonly db: Database;

  constructor(db: Database, process: CrashingProcess) {
    super(db.until(process.signal), process);
    this.db = db;
    this.dialect = db.dialect;
    this.maxTransactions = db.maxTransactions;
  }

  get statements(): number {
    return this.process.statements;
  }

  get isDead(): boolean {
    return this.process.isDead;
  }

  transaction<T>(run: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { db, process } = this;
    const abortable = { ...options, signal: process.until(options.signal) };
    return this.call(() =>
      runLevel(process, "transaction", (level) => db.transaction(level, abortable), run),
    );
  }

  until(signal: AbortSignal, options?: UntilOptions): Queries {
    return new FaultingCalls(this.db.until(this.process.until(signal), options), this.process);
  }

  listen(
    channel: string,
    listener: (payload: string) => void,
    { signal, onGap }: ListenOptions = {},
  ): Promise<() => Promise<void>> {
    const { db, process } = this;
    const own = (payload: string): void => (process.isSilent ? undefined : listener(payload));
    const options = {
      signal: process.until(signal),
      ...(onGap === undefined ? {} : { onGap: () => (process.isSilent ? undefined : onGap()) }),
    };
    return this.call(() => process.act(`LISTEN ${channel}`, () => db.listen(channel, own, options)));
  }

  notify(channel: string, payload?: string): Promise<void> {
    const { db, process } = this;
    return this.call(() => process.act(`NOTIFY ${channel}`, () => db.notify(channel, payload)));
  }

  async close(): Promise<void> {
    await this.process.close();
  }
}
