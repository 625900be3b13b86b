import { FrameworkError } from "@framework/core";
import type { Database, Transaction } from "../queries.ts";
import { migrationError } from "./migration-error.ts";
import { type Migration, type MigrationFile, readMigrations } from "./read-migrations.ts";

/** Which migrations to run. */
export interface MigrateOptions {
  /** Folder of the numbered files. */
  readonly directory: string;
  /** Target number: migrations above it are reverted, missing ones up to it are run. @default the highest; 0 reverts all */
  readonly to?: number;
  /** Dry run: returns the steps without running them. @default false */
  readonly dryRun?: boolean;
  /**
   * Limit in seconds of waiting for another process that migrates and of all steps, in place of the database's own limits, which are for requests.
   * @default 3600
   */
  readonly timeoutSecs?: number;
  /** Rolls back and rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Default of `MigrateOptions.timeoutSecs`. */
export const MIGRATION_SECS = 3600;

/** One step that was run, or would be in a dry run. */
export interface MigrationStep {
  /** Number of the migration. */
  readonly number: number;
  /** Name of the migration. */
  readonly name: string;
  /** Whether it was applied or reverted. */
  readonly direction: "up" | "down";
}

interface Applied {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

/** Id of the advisory lock; any number that is the same in every process. */
const LOCK = 7_264_113_905;

/**
 * Migrates the schema to a version; all steps run in one transaction.
 *
 * Concurrent migrations are serialised by a lock. Earlier steps are verified by the SHA-256 of their text.
 *
 * @throws DATABASE_MIGRATION_CHANGED when a file differs from the step that ran, DATABASE_MIGRATION_MISSING when it is missing or precedes one
 * that ran, DATABASE_MIGRATION_NO_WAY_BACK, DATABASE_BAD_MIGRATIONS; DATABASE_MIGRATION_FAILED, with file and line; DatabaseUnavailableError after
 * `timeoutSecs`. Nothing was changed then.
 */
export const migrate = async (
  db: Database,
  { directory, to, dryRun = false, timeoutSecs = MIGRATION_SECS, signal }: MigrateOptions,
): Promise<readonly MigrationStep[]> => {
  const migrations = await readMigrations(directory, db.dialect);
  const run = async (tx: Transaction): Promise<readonly MigrationStep[]> => {
    if (db.dialect === "postgres") await tx.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    await tx.execute(TABLE);
    const applied = await tx.query<Applied>(
      "SELECT number, name, checksum FROM framework_migrations ORDER BY number",
    );
    checkApplied(migrations, applied);
    const steps = stepsTo(migrations, applied, to ?? migrations.at(-1)?.number ?? 0);
    if (!dryRun) for (const step of steps) await take(tx, step);
    return steps.map(({ direction, migration: { number, name } }) => ({ number, name, direction }));
  };
  return await db.transaction(run, { timeoutSecs, signal });
};

const TABLE = `CREATE TABLE IF NOT EXISTS framework_migrations (
  number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at TEXT NOT NULL)`;

const checkApplied = (migrations: readonly Migration[], applied: readonly Applied[]): void => {
  const highest = applied.at(-1)?.number ?? 0;
  for (const { number, name, checksum } of applied) {
    const file = migrations.find((each) => each.number === number);
    if (file === undefined) throw missing(`migration ${number} (${name}) has run, but its file is missing`);
    if (file.checksum !== checksum) {
      throw new FrameworkError(
        "DATABASE_MIGRATION_CHANGED",
        `migration ${number} (${name}) was changed after it had run; restore it and write a new one`,
      );
    }
  }
  const late = migrations.find(
    ({ number }) => number < highest && !applied.some((each) => each.number === number),
  );
  if (late !== undefined)
    throw missing(`migration ${late.number} (${late.name}) precedes ${highest}, which has already run`);
};

const missing = (message: string): FrameworkError =>
  new FrameworkError("DATABASE_MIGRATION_MISSING", message);

interface Step {
  readonly direction: "up" | "down";
  readonly migration: Migration;
}

const stepsTo = (
  migrations: readonly Migration[],
  applied: readonly Applied[],
  to: number,
): readonly Step[] => {
  if (to !== 0 && !migrations.some(({ number }) => number === to))
    throw missing(`there is no migration ${to}`);
  const done = new Set(applied.map(({ number }) => number));
  const down = migrations.filter(({ number }) => number > to && done.has(number)).toReversed();
  const up = migrations.filter(({ number }) => number <= to && !done.has(number));
  return [
    ...down.map((migration): Step => ({ direction: "down", migration })),
    ...up.map((migration): Step => ({ direction: "up", migration })),
  ];
};

const take = async (tx: Transaction, { direction, migration }: Step): Promise<void> => {
  const { number, name, up, down, checksum } = migration;
  if (direction === "up") {
    await runFile(tx, up);
    await tx.execute(
      "INSERT INTO framework_migrations (number, name, checksum, applied_at) VALUES ($1, $2, $3, $4)",
      [number, name, checksum, new Date().toISOString()],
    );
    return;
  }
  if (down === null) {
    throw new FrameworkError(
      "DATABASE_MIGRATION_NO_WAY_BACK",
      `migration ${number} (${name}) has no .down.sql`,
    );
  }
  await runFile(tx, down);
  await tx.execute("DELETE FROM framework_migrations WHERE number = $1", [number]);
};

/** One statement at a time, so that an error has its line. */
const runFile = async (tx: Transaction, file: MigrationFile): Promise<void> => {
  for (const piece of file.pieces) {
    try {
      await tx.script(piece.text);
    } catch (error) {
      throw migrationError(error, file, piece);
    }
  }
};
