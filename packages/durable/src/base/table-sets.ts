import { FrameworkError } from "@framework/core";
import { type Database, migrate as runMigrations, type SetMigration } from "@framework/database";

/** Options of `TableSets.prepare`. */
export interface PrepareOptions {
  /** Whether to run pending migrations; otherwise they are an error. */
  readonly migrate: boolean;
  /** Time limit of each set, in seconds. */
  readonly timeoutSecs: number;
  readonly signal?: AbortSignal;
}

/** A migration that has not run. */
export interface PendingMigration {
  /** Set of tables, usually named after its package. */
  readonly set: string;
  /** Number of the migration within the set. */
  readonly number: number;
  /** Name of the migration. */
  readonly name: string;
}

/** Sets of numbered migrations: the tables of the kernel and of the features that use it. */
export class TableSets {
  private readonly sets = new Map<string, readonly SetMigration[]>();
  private isPrepared = false;

  /** Whether the start has begun to create or verify the tables. */
  get arePrepared(): boolean {
    return this.isPrepared;
  }

  /** @throws DURABLE_ALREADY_STARTED after `prepare`; DURABLE_BAD_TABLES if another set has the same name */
  add(set: string, migrations: readonly SetMigration[]): void {
    if (this.isPrepared) {
      throw new FrameworkError(
        "DURABLE_ALREADY_STARTED",
        `durable: the tables of "${set}" were added after the start`,
      );
    }
    if (this.sets.has(set) && this.sets.get(set) !== migrations) {
      throw new FrameworkError(
        "DURABLE_BAD_TABLES",
        `durable: another set of tables is already named "${set}"; rename one`,
      );
    }
    this.sets.set(set, migrations);
  }

  /** Returns the migrations that have not run, without running them. */
  pending(db: Database, limits: Omit<PrepareOptions, "migrate">): Promise<readonly PendingMigration[]> {
    return this.run(db, { ...limits, migrate: false });
  }

  /** Creates and migrates the tables, or verifies that nothing is pending. @throws DURABLE_TABLES_MISSING with every pending migration; errors of `migrate` */
  async prepare(db: Database, options: PrepareOptions): Promise<void> {
    this.isPrepared = true;
    const steps = await this.run(db, options);
    if (options.migrate || steps.length === 0) return;
    const pending = steps.map(({ set, number, name }) => `${set} ${number} (${name})`).join(", ");
    throw new FrameworkError(
      "DURABLE_TABLES_MISSING",
      `durable: the database lacks the migrations ${pending}; call app.durable.migrate() once per deployment, or set migrateAtStart: true`,
    );
  }

  /** Runs the pending migrations, or only lists them. */
  private async run(
    db: Database,
    { migrate, timeoutSecs, signal }: PrepareOptions,
  ): Promise<PendingMigration[]> {
    const all: PendingMigration[] = [];
    for (const [set, migrations] of this.sets) {
      const steps = await runMigrations(db, {
        set,
        migrations,
        dryRun: !migrate,
        timeoutSecs,
        ...(signal && { signal }),
      });
      all.push(...steps.map(({ number, name }) => ({ set, number, name })));
    }
    return all;
  }
}
