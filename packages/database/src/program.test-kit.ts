import { type Database, DatabaseError } from "./index.ts";

/** A program on the tables `parents` and `books`, and its outcome: a value, or a short form of the error. */
export interface Program {
  readonly run: (db: Database) => Promise<unknown>;
  readonly gives: unknown;
  /** Ids in `books` afterwards. @default none */
  readonly leaves?: readonly number[];
}

/** Returns the outcome of a function: `ok`, the kind of a `DatabaseError`, or the code of another error. */
export const outcome = async (act: () => Promise<unknown>): Promise<string> => {
  try {
    await act();
    return "ok";
  } catch (error) {
    if (error instanceof DatabaseError) return error.kind;
    return String((error as { code?: unknown }).code ?? error);
  }
};
