import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { FrameworkError } from "@framework/core";
import type { Dialect } from "../sql-text/tokens.ts";
import {
  checksumOf,
  type Migration,
  type MigrationSet,
  type MigrationText,
  migrationText,
} from "./migration.ts";

const FILE = /^(\d{1,9})-([a-z0-9-]+)(?:\.(sqlite|postgres))?\.(up|down)\.sql$/;

/** Name of the set of migration files. */
export const APP_SET = "app";

/** Files that share a number. */
interface NumberedFiles {
  readonly name: string;
  /** The number, as written in the file names. */
  readonly digits: string;
  readonly files: Map<string, string>;
}

/**
 * Reads `0001-create-books.up.sql`, `0001-create-books.down.sql` …; `0001-create-books.postgres.up.sql` takes precedence on PostgreSQL.
 *
 * @throws DATABASE_BAD_MIGRATIONS with all problems of the folder and its files
 */
export const readMigrations = async (directory: string, dialect: Dialect): Promise<MigrationSet> => {
  const problems: string[] = [];
  const byNumber = filesByNumber(await namesIn(directory), dialect, problems);
  const migrations: Migration[] = [];
  for (const [number, { name, files }] of [...byNumber].sort(([a], [b]) => a - b)) {
    const up = await readStep(directory, files.get("up"), dialect, problems);
    const down = await readStep(directory, files.get("down"), dialect, problems);
    if (up === null) problems.push(`migration ${number} (${name}) has no .up.sql`);
    else migrations.push({ number, name, up, down, checksum: checksumOf(up), readableFrom: number });
  }
  if (problems.length > 0)
    throw new FrameworkError("DATABASE_BAD_MIGRATIONS", `${directory}: ${problems.join("; ")}`);
  return { name: APP_SET, migrations, allowsNewerDatabase: false };
};

const namesIn = async (directory: string): Promise<readonly string[]> => {
  try {
    return (await readdir(directory)).filter((name) => /\.sql$/i.test(name)).sort();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const problem =
      { ENOENT: "does not exist", ENOTDIR: "is not a folder" }[String(code)] ?? `cannot be read: ${message}`;
    throw new FrameworkError(
      "DATABASE_BAD_MIGRATIONS",
      `the folder of migrations ${resolve(directory)} ${problem}; create it, or correct the path`,
      { cause },
    );
  }
};

const filesByNumber = (
  names: readonly string[],
  dialect: Dialect,
  problems: string[],
): ReadonlyMap<number, NumberedFiles> => {
  const byNumber = new Map<number, NumberedFiles>();
  for (const file of names) {
    const [, digits = "", name = "", fileDialect, direction = ""] = FILE.exec(file) ?? [];
    if (digits === "") problems.push(`${file} is not named like 0001-create-books.up.sql`);
    else if (Number(digits) === 0) problems.push(`${file} has the number 0; the first is 1`);
    else {
      const number = Number(digits);
      const known = byNumber.get(number) ?? { name, digits, files: new Map<string, string>() };
      if (known.name !== name) problems.push(`number ${digits} belongs to ${known.name} and to ${name}`);
      if (known.digits !== digits) problems.push(`${file} has the number of ${known.digits}-${known.name}`);
      byNumber.set(number, known);
      if (fileDialect === undefined ? !known.files.has(direction) : fileDialect === dialect)
        known.files.set(direction, file);
    }
  }
  return byNumber;
};

const readStep = async (
  directory: string,
  file: string | undefined,
  dialect: Dialect,
  problems: string[],
): Promise<MigrationText | null> => {
  if (file === undefined) return null;
  const path = join(directory, file);
  const text = decodeText(await readFile(path));
  if (text === null) {
    problems.push(`${file} is not UTF-8`);
    return { path, text: "", pieces: [] };
  }
  return migrationText(text, { path, label: file, dialect }, problems);
};

/** Decodes UTF-8 without byte order mark and with LF line ends, which editors and git may change, so that the checksum stays the same; `null` if invalid. */
const decodeText = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch {
    return null;
  }
};
