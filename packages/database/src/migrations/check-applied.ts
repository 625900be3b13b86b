import { FrameworkError } from "@framework/core";
import type { AppliedMigration } from "./applied-migrations.ts";
import type { Migration, MigrationSet } from "./migration.ts";

/**
 * Compares the migrations that have run with the migrations of this program.
 *
 * @throws DATABASE_MIGRATION_MISSING, DATABASE_MIGRATION_CHANGED, DATABASE_MIGRATION_AHEAD
 */
export const checkApplied = (set: MigrationSet, applied: readonly AppliedMigration[]): void => {
  const { migrations } = set;
  const highest = migrations.at(-1)?.number ?? 0;
  const ahead = set.allowsNewerDatabase ? applied.filter(({ number }) => number > highest) : [];
  for (const each of applied) if (!ahead.includes(each)) checkKnown(set, each);
  for (const each of ahead) if (each.readableFrom > highest) throw tooFarAhead(set, each, highest);
  checkOrder(migrations, applied);
};

const checkKnown = (
  { name: set, migrations, allowsNewerDatabase }: MigrationSet,
  applied: AppliedMigration,
): void => {
  const { number, name, checksum } = applied;
  const known = migrations.find((each) => each.number === number);
  if (known === undefined) {
    throw migrationMissing(
      allowsNewerDatabase
        ? `migration ${number} (${name}) of the set "${set}" has run, but this program does not have it`
        : `migration ${number} (${name}) has run, but its file is missing`,
    );
  }
  if (known.checksum === checksum) return;
  throw new FrameworkError(
    "DATABASE_MIGRATION_CHANGED",
    `migration ${number} (${name}) was changed after it had run; restore it and write a new one`,
  );
};

const tooFarAhead = (
  { name: set }: MigrationSet,
  { number, name, readableFrom }: AppliedMigration,
  highest: number,
): FrameworkError =>
  new FrameworkError(
    "DATABASE_MIGRATION_AHEAD",
    `migration ${number} (${name}) of the set "${set}" has run and requires a program with migration ${readableFrom}, but this one has ${highest === 0 ? "none" : `only up to ${highest}`}; deploy the newer version`,
  );

const checkOrder = (migrations: readonly Migration[], applied: readonly AppliedMigration[]): void => {
  const last = applied.at(-1)?.number ?? 0;
  const outOfOrder = migrations.find(
    ({ number }) => number < last && !applied.some((each) => each.number === number),
  );
  if (outOfOrder !== undefined)
    throw migrationMissing(
      `migration ${outOfOrder.number} (${outOfOrder.name}) precedes ${last}, which has already run`,
    );
};

/** Returns the error of a migration that does not exist or is out of order. */
export const migrationMissing = (message: string): FrameworkError =>
  new FrameworkError("DATABASE_MIGRATION_MISSING", message);
