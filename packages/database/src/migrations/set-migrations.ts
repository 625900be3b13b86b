import { FrameworkError } from "@framework/core";
import type { Dialect } from "../sql-text/tokens.ts";
import { checksumOf, type Migration, type MigrationSet, migrationText } from "./migration.ts";
import { APP_SET } from "./read-migrations.ts";

/** One forward-only migration of a set in code, with its statements for both databases or separately for each. */
export type SetMigration = SetMigrationHead &
  ({ readonly up: string } | { readonly sqlite: string; readonly postgres: string });

interface SetMigrationHead {
  /** 1 to 999 999 999, ascending within the set. */
  readonly number: number;
  /** At most 100 lower-case letters, digits and hyphens. */
  readonly name: string;
  /**
   * Lowest migration number of a program that can use the schema after this migration: such older programs continue to work during a rolling
   * deployment. @default `number`: no older program
   */
  readonly readableFrom?: number;
}

const SET = /^[a-z][a-z0-9-]{0,62}$/;
const NAME = /^[a-z0-9-]{1,100}$/;
const MAX_NUMBER = 999_999_999;

/** Checks a set. @throws DATABASE_BAD_MIGRATIONS with all problems */
export const checkedSet = (
  set: string,
  migrations: readonly SetMigration[],
  dialect: Dialect,
): MigrationSet => {
  const problems: string[] = [];
  if (!SET.test(set))
    problems.push(
      "the name must have at most 63 lower-case letters, digits and hyphens, and begin with a letter",
    );
  if (set === APP_SET) problems.push("the name is reserved for the migration files of a program");
  let previous = 0;
  for (const { number, name } of migrations) {
    if (!(Number.isInteger(number) && number > previous && number <= MAX_NUMBER))
      problems.push(
        `${name}: numbers must be whole and ascend from 1 to ${MAX_NUMBER}, not ${number} after ${previous}`,
      );
    previous = number;
  }
  const checked = migrations.map((migration) => checkedMigration(set, migration, dialect, problems));
  if (problems.length > 0) {
    throw new FrameworkError(
      "DATABASE_BAD_MIGRATIONS",
      `the set of migrations "${set}": ${problems.join("; ")}`,
    );
  }
  return { name: set, migrations: checked, allowsNewerDatabase: true };
};

const checkedMigration = (
  set: string,
  migration: SetMigration,
  dialect: Dialect,
  problems: string[],
): Migration => {
  const { number, name, readableFrom = number } = migration;
  if (!NAME.test(name))
    problems.push(`${number}: a name must have 1 to 100 lower-case letters, digits and hyphens, not ${name}`);
  if (!(Number.isInteger(readableFrom) && readableFrom >= 1 && readableFrom <= number))
    problems.push(`${number}: readableFrom must be a whole number from 1 to ${number}, not ${readableFrom}`);
  const source: unknown = "up" in migration ? migration.up : migration[dialect];
  if (typeof source !== "string")
    problems.push(`${number}: \`up\`, or \`sqlite\` and \`postgres\`, must be strings`);
  const text = String(source).replaceAll("\r\n", "\n");
  const label = `${String(number).padStart(4, "0")}-${name}`;
  const up = migrationText(text, { path: `${set}/${label}`, label, dialect }, problems);
  return { number, name, up, down: null, checksum: checksumOf(up), readableFrom };
};
