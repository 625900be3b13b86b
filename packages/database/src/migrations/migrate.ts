import { FrameworkError } from "@framework/core";
import type { Database, Transaction } from "../queries.ts";
import { type AppliedMigration, AppliedMigrations } from "./applied-migrations.ts";
import { checkApplied, migrationMissing } from "./check-applied.ts";
import { migrationError } from "./migration-error.ts";
import type { Migration, MigrationSet, MigrationText } from "./migration.ts";
import { readMigrations } from "./read-migrations.ts";
import { checkedSet, type SetMigration } from "./set-migrations.ts";

/** Options of `migrate`: for the migrations of a folder, or of a set in code. */
export type MigrateOptions = MigrateFolderOptions | MigrateSetOptions;

/** Options of the migrations of a folder. */
export interface MigrateFolderOptions extends MigrateLimits {
  /** Folder of the numbered files. */
  readonly directory: string;
  /** Target number: migrations above it are reverted, missing ones up to it are run. @default the highest; 0 reverts all */
  readonly to?: number;
}

/** Options of the migrations in the code of a package. */
export interface MigrateSetOptions extends MigrateLimits {
  /**
   * Name of the set, usually that of the package: at most 63 lower-case letters, digits and hyphens, beginning with a letter. `app` is reserved for
   * migration files.
   */
  readonly set: string;
  /** All migrations of the set, by ascending number. */
  readonly migrations: readonly SetMigration[];
}

/** Options of all migrations. */
export interface MigrateLimits {
  /** Dry run: returns the steps without running them. @default false */
  readonly dryRun?: boolean;
  /**
   * Time limit in seconds for all steps, including the wait for another process that migrates. Replaces the database's own limits, which are for requests.
   * @default 3600
   */
  readonly timeoutSecs?: number;
  /** When it aborts, the migrations are rolled back and `migrate` rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Called before each step, again if the transaction is retried, with the number of completed steps and the total; not called in a dry run. */
  readonly onStep?: (
    step: MigrationStep,
    progress: { readonly done: number; readonly total: number },
  ) => void;
}

/** Default of `MigrateLimits.timeoutSecs`. */
export const DEFAULT_TIMEOUT_SECS = 3600;

/** A step that ran, or in a dry run would run. */
export interface MigrationStep {
  /** Number of the migration. */
  readonly number: number;
  /** Name of the migration. */
  readonly name: string;
  /** Whether it was applied or reverted. */
  readonly direction: "up" | "down";
}

/** Id of the advisory lock; arbitrary, but the same in every process. */
const LOCK = 7_264_113_905;

/**
 * Migrates the schema to a version; all steps run in one transaction.
 *
 * A lock serialises concurrent migrations of all sets. Migrations that have run are verified by the SHA-256 of their text.
 *
 * @throws DATABASE_MIGRATION_CHANGED if a migration differs from the one that ran, DATABASE_MIGRATION_MISSING if it is missing or precedes one
 * that ran, DATABASE_MIGRATION_AHEAD if the schema is newer than this program can use, DATABASE_MIGRATION_NO_WAY_BACK, DATABASE_BAD_MIGRATIONS;
 * DATABASE_MIGRATION_FAILED, with file and line; DATABASE_BAD_TIMEOUT; DatabaseUnavailableError after `timeoutSecs`. An error leaves the schema unchanged,
 * except CommitUnknownError, which leaves the outcome unknown.
 */
export const migrate = async (db: Database, options: MigrateOptions): Promise<readonly MigrationStep[]> => {
  const { dryRun = false, timeoutSecs = DEFAULT_TIMEOUT_SECS, signal, onStep } = options;
  const set = await setOf(options, db.dialect);
  const to = "to" in options ? options.to : undefined;
  const run = async (tx: Transaction): Promise<readonly MigrationStep[]> => {
    if (db.dialect === "postgres") await tx.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    const record = await AppliedMigrations.of(tx, db.dialect, set.name);
    const applied = await record.all();
    checkApplied(set, applied);
    const steps = stepsTo(set.migrations, applied, to ?? set.migrations.at(-1)?.number ?? 0);
    const results = steps.map(({ direction, migration: { number, name } }) => ({ number, name, direction }));
    if (dryRun) return results;
    for (const [done, step] of steps.entries()) {
      const result = results[done];
      if (result !== undefined) onStep?.(result, { done, total: steps.length });
      await runStep(tx, record, step);
    }
    return results;
  };
  return await db.transaction(run, { timeoutSecs, signal });
};

const setOf = async (options: MigrateOptions, dialect: Database["dialect"]): Promise<MigrationSet> =>
  "set" in options
    ? checkedSet(options.set, options.migrations, dialect)
    : await readMigrations(options.directory, dialect);

interface Step {
  readonly direction: "up" | "down";
  readonly migration: Migration;
}

const stepsTo = (
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
  to: number,
): readonly Step[] => {
  if (to !== 0 && !migrations.some(({ number }) => number === to))
    throw migrationMissing(`migration ${to} does not exist`);
  const appliedNumbers = new Set(applied.map(({ number }) => number));
  const down = migrations.filter(({ number }) => number > to && appliedNumbers.has(number)).toReversed();
  const up = migrations.filter(({ number }) => number <= to && !appliedNumbers.has(number));
  return [
    ...down.map((migration): Step => ({ direction: "down", migration })),
    ...up.map((migration): Step => ({ direction: "up", migration })),
  ];
};

const runStep = async (
  tx: Transaction,
  record: AppliedMigrations,
  { direction, migration }: Step,
): Promise<void> => {
  const { number, name, up, down } = migration;
  if (direction === "up") {
    await runText(tx, up);
    await record.add(migration);
    return;
  }
  if (down === null) {
    throw new FrameworkError(
      "DATABASE_MIGRATION_NO_WAY_BACK",
      `migration ${number} (${name}) has no .down.sql`,
    );
  }
  await runText(tx, down);
  await record.remove(number);
};

/** Runs one statement at a time, so that an error can name the line. */
const runText = async (tx: Transaction, text: MigrationText): Promise<void> => {
  for (const piece of text.pieces) {
    try {
      await tx.script(piece.text);
    } catch (error) {
      throw migrationError(error, text, piece);
    }
  }
};
