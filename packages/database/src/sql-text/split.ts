import { type Dialect, type Token, tokensOf } from "./tokens.ts";

/** A statement of a text. */
export interface Piece {
  /** The statement without its semicolon and without leading spaces and comments. */
  readonly text: string;
  /** Index of its first character. */
  readonly at: number;
  readonly tokens: readonly Token[];
}

/** Splits a text into statements; a semicolon inside the body of a trigger or function does not end one. */
export const splitStatements = (text: string, dialect: Dialect): readonly Piece[] => {
  const pieces: Piece[] = [];
  let tokens: Token[] = [];
  let body = bodyOf(dialect);
  const end = (to: number): void => {
    const [first] = tokens;
    if (first !== undefined) pieces.push({ text: text.slice(first.at, to).trimEnd(), at: first.at, tokens });
    tokens = [];
    body = bodyOf(dialect);
  };
  for (const token of tokensOf(text, dialect)) {
    if (token.kind === "semicolon" && body.isOutside(tokens)) end(token.at);
    else {
      body.follow(token, tokens);
      tokens.push(token);
    }
  }
  end(text.length);
  return pieces;
};

/** Tracks whether a semicolon ends the statement or is part of a body. */
interface Body {
  /** Called for each token, with the previous ones. */
  follow(token: Token, before: readonly Token[]): void;
  isOutside(tokens: readonly Token[]): boolean;
}

const bodyOf = (dialect: Dialect): Body => (dialect === "sqlite" ? new TriggerBody() : new RoutineBody());

export const upper = (token: Token | undefined): string =>
  token?.kind === "word" ? token.text.toUpperCase() : "";

/** SQLite: `CREATE TRIGGER` ends with `; END`, as in `sqlite3_complete`. */
class TriggerBody implements Body {
  private isTrigger = false;

  follow(token: Token, before: readonly Token[]): void {
    if (before.length > 4 || upper(token) !== "TRIGGER") return;
    const words = before.map(upper);
    if (words[0] === "EXPLAIN") words.splice(0, words[1] === "QUERY" ? 3 : 1);
    this.isTrigger ||= words[0] === "CREATE" && words.slice(1).every((word) => /^TEMP(ORARY)?$/.test(word));
  }

  isOutside(tokens: readonly Token[]): boolean {
    return !this.isTrigger || (upper(tokens.at(-1)) === "END" && tokens.at(-2)?.kind === "semicolon");
  }
}

/** PostgreSQL: parentheses (`CREATE RULE`), and `BEGIN ATOMIC … END` of functions and procedures, counted as psql does. */
class RoutineBody implements Body {
  private parentheses = 0;
  private blocks = 0;

  follow(token: Token, before: readonly Token[]): void {
    if (token.kind === "open") this.parentheses++;
    if (token.kind === "close") this.parentheses = Math.max(0, this.parentheses - 1);
    const word = upper(token);
    if (word === "BEGIN") this.blocks += isRoutine(before) ? 1 : 0;
    else if (word === "CASE" && this.blocks > 0) this.blocks++;
    else if (word === "END" && this.blocks > 0) this.blocks--;
  }

  isOutside(): boolean {
    return this.parentheses === 0 && this.blocks === 0;
  }
}

const isRoutine = (tokens: readonly Token[]): boolean => {
  const words = tokens.slice(0, 4).map(upper);
  if (words[0] !== "CREATE") return false;
  const kind = words[1] === "OR" && words[2] === "REPLACE" ? words[3] : words[1];
  return kind === "FUNCTION" || kind === "PROCEDURE";
};
