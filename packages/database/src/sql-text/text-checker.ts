import { FrameworkError } from "@framework/core";
import type { Statement } from "../statement.ts";
import { copyOfClient } from "./copy.ts";
import { type Piece, splitStatements } from "./split.ts";
import type { Dialect } from "./tokens.ts";
import { transactionControl } from "./transaction-control.ts";

/** Maximum number of texts in the cache; when it is full, all are evicted. */
const MAX_TEXTS = 1000;

/** Maximum number of values of one statement: a 16-bit count on PostgreSQL, and a compile-time limit of SQLite. */
const maxValues: Readonly<Record<Dialect, number>> = { postgres: 65_535, sqlite: 32_766 };

/** Maximum length of a cached text, in characters. */
const MAX_CACHED_LENGTH = 20_000;

/**
 * Checks statements before they are sent, so that a mistake has the same error on both databases.
 *
 * SQLite would treat a missing value as NULL, and run only the first of several statements; a `COMMIT` would end the transaction of another caller.
 */
export class TextChecker {
  private readonly dialect: Dialect;
  /** Number of parameters by text. */
  private readonly known = new Map<string, number>();

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  /** @throws DATABASE_NOT_ONE_STATEMENT, DATABASE_BAD_PARAMETERS, DATABASE_TRANSACTION_CONTROL, DATABASE_COPY */
  check({ text, values }: Statement): void {
    const needed = this.known.get(text) ?? this.read(text);
    if (needed !== values.length) throw wrongCount(text, needed, values.length);
    if (needed > maxValues[this.dialect]) throw tooMany(text, needed, maxValues[this.dialect]);
  }

  /** Checks a script, which has no parameters, and splits it. @throws DATABASE_BAD_PARAMETERS, DATABASE_TRANSACTION_CONTROL, DATABASE_COPY */
  script(text: string): readonly Piece[] {
    const pieces = splitStatements(text, this.dialect);
    for (const piece of pieces) checkPiece(piece);
    return pieces;
  }

  private read(text: string): number {
    const pieces = splitStatements(text, this.dialect).filter(isStatement);
    const [piece] = pieces;
    if (piece === undefined || pieces.length > 1) throw notOne(text, pieces.length);
    checkControl(piece);
    const needed = countParameters(piece);
    if (text.length > MAX_CACHED_LENGTH) return needed;
    if (this.known.size >= MAX_TEXTS) this.known.clear();
    this.known.set(text, needed);
    return needed;
  }
}

/** An unclosed comment is not a statement: SQLite accepts one at the end of a text. */
const isStatement = ({ tokens: [first] }: Piece): boolean => first?.kind !== "unclosed";

/** Checks a statement of a script. @throws DATABASE_BAD_PARAMETERS, DATABASE_TRANSACTION_CONTROL, DATABASE_COPY */
export const checkPiece = (piece: Piece): void => {
  checkControl(piece);
  const needed = countParameters(piece);
  if (needed > 0) throw wrongCount(piece.text, needed, 0);
};

/** Returns the number of parameters. All from `$1` up must be used, because PostgreSQL cannot infer the type of an unused one. */
const countParameters = ({ text, tokens }: Piece): number => {
  const used = new Set<number>();
  for (const token of tokens) {
    if (token.kind === "named")
      throw badParameters(text, `parameters must be written $1, $2 …, not ${token.text}`);
    if (token.kind === "parameter") used.add(Number(token.text.slice(1)));
  }
  for (let index = 1; index <= used.size; index++)
    if (!used.has(index))
      throw badParameters(text, `parameters must be numbered from $1, but $${index} is unused`);
  return used.size;
};

const checkControl = (piece: Piece): void => {
  const copy = copyOfClient(piece);
  if (copy !== null)
    throw new FrameworkError(
      "DATABASE_COPY",
      `COPY … ${copy} is not supported; use INSERT and stream(…), or the program psql, in: ${piece.text.slice(0, MAX_QUOTED_TEXT)}`,
    );
  const control = transactionControl(piece);
  if (control === null) return;
  throw new FrameworkError(
    "DATABASE_TRANSACTION_CONTROL",
    `${control} would change the transaction of another caller; use transaction(…), nested for a savepoint`,
  );
};

const MAX_QUOTED_TEXT = 200;

const badParameters = (text: string, problem: string): FrameworkError =>
  new FrameworkError("DATABASE_BAD_PARAMETERS", `${problem}, in: ${text.slice(0, MAX_QUOTED_TEXT)}`);

const withCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const wrongCount = (text: string, needed: number, given: number): FrameworkError =>
  badParameters(
    text,
    `the statement has ${withCount(needed, "parameter")}, but got ${withCount(given, "value")}`,
  );

const tooMany = (text: string, given: number, max: number): FrameworkError =>
  badParameters(text, `a statement can have at most ${max} values, not ${given}; send them in parts`);

const notOne = (text: string, count: number): FrameworkError =>
  new FrameworkError(
    "DATABASE_NOT_ONE_STATEMENT",
    `an SQL text must have one statement, not ${count}; script(…) of a transaction runs several, in: ${text.slice(0, MAX_QUOTED_TEXT)}`,
  );
