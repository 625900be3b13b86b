import { createHash } from "node:crypto";
import { FrameworkError } from "@framework/core";
import { type Piece, splitStatements } from "../sql-text/split.ts";
import { checkPiece } from "../sql-text/text-checker.ts";
import type { Dialect } from "../sql-text/tokens.ts";
import { excerptOf, lineAt } from "./excerpt.ts";

/** One migration, from a file or from code. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly up: MigrationText;
  /** `null` when it cannot be reverted. */
  readonly down: MigrationText | null;
  /** SHA-256 of the text of `up`, hexadecimal; the same for both kinds of line ends. */
  readonly checksum: string;
  /** Lowest number of code that can use the schema after this migration. */
  readonly readableFrom: number;
}

/** The migrations of one owner, by ascending number. */
export interface MigrationSet {
  readonly name: string;
  readonly migrations: readonly Migration[];
  /** Whether the database may be ahead of them, up to what `readableFrom` of its further migrations allows. */
  readonly mayBeBehind: boolean;
}

/** The statements of one direction. */
export interface MigrationText {
  /** Path of the file, or set and number, for messages. */
  readonly path: string;
  readonly text: string;
  readonly pieces: readonly Piece[];
}

/** Splits a text into its statements; adds what must not be in a migration to `problems`, with `label` and line. */
export const migrationText = (
  text: string,
  { path, label, dialect }: { path: string; label: string; dialect: Dialect },
  problems: string[],
): MigrationText => {
  const pieces = splitStatements(text, dialect);
  for (const piece of pieces) {
    const problem = problemOf(piece);
    if (problem !== null)
      problems.push(`${label}:${lineAt(text, piece.at)}: ${problem}\n${excerptOf(text, piece.at)}`);
  }
  return { path, text, pieces };
};

/** All migrations run in one transaction, so a statement that ends it is refused. An unclosed comment would hide statements. */
const problemOf = (piece: Piece): string | null => {
  if (piece.tokens.at(-1)?.kind === "unclosed") return "a comment that begins with /* is not closed";
  try {
    checkPiece(piece);
    return null;
  } catch (error) {
    if (!FrameworkError.is(error)) throw error;
    return error.code === "DATABASE_TRANSACTION_CONTROL"
      ? "all migrations run in one transaction, which none may begin or end"
      : error.message;
  }
};

export const checksumOf = ({ text }: MigrationText): string =>
  createHash("sha256").update(text).digest("hex");
