import { FrameworkError } from "@framework/core";
import { DatabaseError } from "../database-errors.ts";
import type { Piece } from "../sql-text/split.ts";
import { excerptOf, lineAt } from "./excerpt.ts";
import type { MigrationText } from "./migration.ts";

/** Adds file, line number and excerpt to the error of a migration statement. Returns other errors, and errors that are retried, unchanged. */
export const migrationError = (error: unknown, { path, text }: MigrationText, piece: Piece): unknown => {
  if (!(error instanceof DatabaseError) || ["serialization", "deadlock"].includes(error.kind)) return error;
  const at = piece.at + (placeInPostgres(error, piece) ?? placeInSqlite(error, piece) ?? 0);
  return new FrameworkError(
    "DATABASE_MIGRATION_FAILED",
    `${path}:${lineAt(text, at)}: ${error.message}; nothing was changed\n${excerptOf(text, at)}`,
    { cause: error },
  );
};

/** Returns the index of an error in the statement. PostgreSQL reports the position in characters, from 1. */
const placeInPostgres = (error: DatabaseError, { text }: Piece): number | null => {
  for (let cause: unknown = error; Error.isError(cause); cause = cause.cause) {
    const position = Number((cause as { position?: unknown }).position);
    if (position >= 1)
      return Array.from(text)
        .slice(0, position - 1)
        .join("").length;
  }
  return null;
};

/** Returns the index of an error in the statement. SQLite only names a word, so the index is known only if the word occurs once. */
const placeInSqlite = ({ message }: DatabaseError, { text, at, tokens }: Piece): number | null => {
  const word = /near "([^]+?)": syntax error|no such \w+: (?:\w+\.)?(\w+)/.exec(message);
  const name = word?.[1] ?? word?.[2];
  const places = tokens.filter((token) => token.text === name);
  const [place] = places;
  return places.length !== 1 || place === undefined || text === "" ? null : place.at - at;
};
