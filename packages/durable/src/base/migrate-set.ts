import type { Database, MigrationStep } from "@framework/database";

/** One migration of a set, as text for both databases or one for each. */
export type SetMigration = {
  readonly number: number;
  readonly name: string;
  /** Lowest number of code that still reads and writes the schema after this migration. @default its own number */
  readonly readableFrom?: number;
} & ({ readonly up: string } | { readonly sqlite: string; readonly postgres: string });

/** Which set to migrate. */
export interface MigrateSetOptions {
  readonly set: string;
  readonly migrations: readonly SetMigration[];
  readonly dryRun: boolean;
  readonly timeoutSecs: number;
  readonly signal?: AbortSignal;
}

const LOCK = 7_264_113_906;

/** Runs the pending migrations of a set in one transaction and returns them. */
export const migrateSet = (
  db: Database,
  { set, migrations, dryRun, timeoutSecs, signal }: MigrateSetOptions,
): Promise<readonly MigrationStep[]> =>
  db.transaction(
    async (tx) => {
      if (db.dialect === "postgres") await tx.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
      await tx.execute(TABLE);
      const rows = await tx.query<{ number: number }>("SELECT number FROM framework_sets WHERE name = $1", [
        set,
      ]);
      const done = new Set(rows.map(({ number }) => number));
      const pending = migrations.filter(({ number }) => !done.has(number));
      for (const migration of dryRun ? [] : pending) {
        await tx.script("up" in migration ? migration.up : migration[db.dialect]);
        await tx.execute("INSERT INTO framework_sets (name, number) VALUES ($1, $2)", [
          set,
          migration.number,
        ]);
      }
      return pending.map(({ number, name }) => ({ number, name, direction: "up" as const }));
    },
    { timeoutSecs, signal },
  );

const TABLE = `CREATE TABLE IF NOT EXISTS framework_sets (name TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (name, number))`;
