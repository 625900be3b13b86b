import { type Database, DatabaseError } from "./index.ts";

/** A program over tables `parents` and `books`, and what it gives: its value, or the error in a word or two. */
export interface Program {
  readonly run: (db: Database) => Promise<unknown>;
  readonly gives: unknown;
  /** Ids in `books` afterwards. @default none */
  readonly leaves?: readonly number[];
}

/** The outcome of an act: `ok`, the kind of a `DatabaseError`, or the code of another error. */
export const outcome = async (act: () => Promise<unknown>): Promise<string> => {
  try {
    await act();
    return "ok";
  } catch (error) {
    if (error instanceof DatabaseError) return error.kind;
    return String((error as { code?: unknown }).code ?? error);
  }
};
