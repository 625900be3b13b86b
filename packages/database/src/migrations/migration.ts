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
  /** Hexadecimal SHA-256 of the text of `up`, with line ends normalised. */
  readonly checksum: string;
  /** Lowest migration number of a program that can use the schema after this migration. */
  readonly readableFrom: number;
}

/** The migrations of one owner, by ascending number. */
export interface MigrationSet {
  readonly name: string;
  readonly migrations: readonly Migration[];
  /** Whether the database may have newer migrations, as far as their `readableFrom` allows. */
  readonly allowsNewerDatabase: boolean;
}

/** The statements of one direction. */
export interface MigrationText {
  /** Path of the file, or set and number, for messages. */
  readonly path: string;
  readonly text: string;
  readonly pieces: readonly Piece[];
}

/** Splits a text into statements. Adds constructs that a migration must not contain to `problems`, with `label` and line. */
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

/**
 * Returns the problem of a statement: transaction control, because all migrations run in one transaction, an unclosed comment, which would hide statements,
 * parameters, or a `COPY` from or to the client. `null` if it has none.
 */
const problemOf = (piece: Piece): string | null => {
  if (piece.tokens.at(-1)?.kind === "unclosed") return "a comment that begins with /* is not closed";
  try {
    checkPiece(piece);
    return null;
  } catch (error) {
    if (!FrameworkError.is(error)) throw error;
    return error.code === "DATABASE_TRANSACTION_CONTROL"
      ? "all migrations run in one transaction, so a migration must not begin or end one"
      : error.message;
  }
};

export const checksumOf = ({ text }: MigrationText): string =>
  createHash("sha256").update(text).digest("hex");
