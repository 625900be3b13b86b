import { FrameworkError } from "@framework/core";
import type { Dialect } from "../sql-text/tokens.ts";
import { checksumOf, type Migration, type MigrationSet, migrationText } from "./migration.ts";
import { APP_SET } from "./read-migrations.ts";

/** One migration of a set in code: its statements for both databases, or for each. Forward only. */
export type SetMigration = SetMigrationHead &
  ({ readonly up: string } | { readonly sqlite: string; readonly postgres: string });

interface SetMigrationHead {
  /** 1 to 999 999 999, ascending within the set. */
  readonly number: number;
  /** Lower-case letters, digits and hyphens. */
  readonly name: string;
  /**
   * Lowest number of code that can read and write the schema after this migration: programs whose highest migration is at least this one go on
   * while newer ones are deployed. @default `number`: no older program
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
  if (!SET.test(set)) problems.push("the name has lower-case letters, digits and hyphens, at most 63");
  if (set === APP_SET) problems.push("the name belongs to the files of a program");
  let before = 0;
  for (const { number, name } of migrations) {
    if (!(Number.isInteger(number) && number > before && number <= MAX_NUMBER))
      problems.push(
        `${name}: numbers are whole and ascend from 1 to ${MAX_NUMBER}, unlike ${number} after ${before}`,
      );
    before = number;
  }
  const made = migrations.map((migration) => checkedMigration(set, migration, dialect, problems));
  if (problems.length > 0) {
    throw new FrameworkError(
      "DATABASE_BAD_MIGRATIONS",
      `the set of migrations "${set}": ${problems.join("; ")}`,
    );
  }
  return { name: set, migrations: made, mayBeBehind: true };
};

const checkedMigration = (
  set: string,
  migration: SetMigration,
  dialect: Dialect,
  problems: string[],
): Migration => {
  const { number, name, readableFrom = number } = migration;
  if (!NAME.test(name))
    problems.push(`${number}: a name has lower-case letters, digits and hyphens, unlike ${name}`);
  if (!(Number.isInteger(readableFrom) && readableFrom >= 1 && readableFrom <= number))
    problems.push(`${number}: readableFrom is a whole number from 1 to ${number}, not ${readableFrom}`);
  const given: unknown = "up" in migration ? migration.up : migration[dialect];
  if (typeof given !== "string")
    problems.push(`${number}: give \`up\`, or \`sqlite\` and \`postgres\`, as text`);
  const text = String(given).replaceAll("\r\n", "\n");
  const label = `${String(number).padStart(4, "0")}-${name}`;
  const up = migrationText(text, { path: `${set}/${label}`, label, dialect }, problems);
  return { number, name, up, down: null, checksum: checksumOf(up), readableFrom };
};
