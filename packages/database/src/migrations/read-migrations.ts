import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { FrameworkError } from "@framework/core";
import { type Piece, splitStatements } from "../sql-text/split.ts";
import { checkPiece } from "../sql-text/text-checker.ts";
import type { Dialect } from "../sql-text/tokens.ts";
import { excerptOf, lineAt } from "./excerpt.ts";

/** The statements of one file. */
export interface MigrationFile {
  /** Its path, for messages. */
  readonly path: string;
  readonly text: string;
  readonly pieces: readonly Piece[];
}

/** One migration, as read from its folder. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly up: MigrationFile;
  /** `null` without a `.down.sql`. */
  readonly down: MigrationFile | null;
  /** SHA-256 of the text of `up`, hexadecimal; the same for both kinds of line ends. */
  readonly checksum: string;
}

const FILE = /^(\d{1,9})-([a-z0-9-]+)(?:\.(sqlite|postgres))?\.(up|down)\.sql$/;

/** Files of one number. */
interface Found {
  readonly name: string;
  readonly files: Map<string, string>;
}

/**
 * Reads `0001-create-books.up.sql`, `0001-create-books.down.sql` …; `0001-create-books.postgres.up.sql` takes precedence on PostgreSQL.
 *
 * @throws DATABASE_BAD_MIGRATIONS with all problems of the folder and its files
 */
export const readMigrations = async (directory: string, dialect: Dialect): Promise<readonly Migration[]> => {
  const problems: string[] = [];
  const found = filesByNumber(await namesIn(directory), dialect, problems);
  const migrations: Migration[] = [];
  for (const [number, { name, files }] of [...found].sort(([a], [b]) => a - b)) {
    const up = await readStep(directory, files.get("up"), dialect, problems);
    const down = await readStep(directory, files.get("down"), dialect, problems);
    if (up === null) problems.push(`migration ${number} (${name}) has no .up.sql`);
    else migrations.push({ number, name, up, down, checksum: sha256(up.text) });
  }
  if (problems.length > 0)
    throw new FrameworkError("DATABASE_BAD_MIGRATIONS", `${directory}: ${problems.join("; ")}`);
  return migrations;
};

const namesIn = async (directory: string): Promise<readonly string[]> => {
  try {
    return (await readdir(directory)).filter((name) => name.endsWith(".sql")).sort();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const what =
      { ENOENT: "does not exist", ENOTDIR: "is not a folder" }[String(code)] ?? `cannot be read: ${message}`;
    throw new FrameworkError(
      "DATABASE_BAD_MIGRATIONS",
      `the folder of migrations ${resolve(directory)} ${what}; create it, or correct the path`,
      { cause },
    );
  }
};

const filesByNumber = (
  names: readonly string[],
  dialect: Dialect,
  problems: string[],
): ReadonlyMap<number, Found> => {
  const found = new Map<number, Found>();
  for (const file of names) {
    const [, digits = "", name = "", only, way = ""] = FILE.exec(file) ?? [];
    if (digits === "") problems.push(`${file} is not named like 0001-create-books.up.sql`);
    else {
      const number = Number(digits);
      const known = found.get(number) ?? { name, files: new Map<string, string>() };
      if (known.name !== name) problems.push(`number ${digits} belongs to ${known.name} and to ${name}`);
      found.set(number, known);
      if (only === undefined ? !known.files.has(way) : only === dialect) known.files.set(way, file);
    }
  }
  return found;
};

const readStep = async (
  directory: string,
  file: string | undefined,
  dialect: Dialect,
  problems: string[],
): Promise<MigrationFile | null> => {
  if (file === undefined) return null;
  const path = join(directory, file);
  const text = decoded(await readFile(path));
  if (text === null) {
    problems.push(`${file} is not UTF-8`);
    return { path, text: "", pieces: [] };
  }
  const pieces = splitStatements(text, dialect);
  for (const piece of pieces) {
    const problem = problemOf(piece);
    if (problem !== null)
      problems.push(`${file}:${lineAt(text, piece.at)}: ${problem}\n${excerptOf(text, piece.at)}`);
  }
  return { path, text, pieces };
};

/** A statement that must not be in a migration, which runs in one transaction with all others. */
const problemOf = (piece: Piece): string | null => {
  try {
    checkPiece(piece);
    return null;
  } catch (error) {
    if (!FrameworkError.is(error)) throw error;
    return error.code === "DATABASE_TRANSACTION_CONTROL"
      ? "all migrations run in one transaction, which a file must not begin or end"
      : error.message;
  }
};

/** Without byte order mark, and with the line ends of this file's history: editors and git change both. */
const decoded = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch {
    return null;
  }
};

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
