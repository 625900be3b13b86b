import { FrameworkError } from "@framework/core";
import { checkValue, type SqlValue } from "./sql-value.ts";

/** A statement, created by `sql`: a text with `$1`, `$2` …, and separately its values. */
export class Statement {
  /** The SQL, with placeholders. */
  readonly text: string;
  /** Values of the placeholders. */
  readonly values: readonly SqlValue[];
  /** The parts of the text between the values. */
  readonly pieces: readonly string[];

  constructor(text: string, values: readonly SqlValue[], pieces: readonly string[] = [text]) {
    this.text = text;
    this.values = values;
    this.pieces = pieces;
  }
}

/** A value of a template: a parameter, or a statement to inline. */
export type SqlInput = SqlValue | Statement;

/** The tag `sql`, with builders for parts that are not parameters. */
export interface SqlTag {
  (strings: TemplateStringsArray, ...inputs: readonly SqlInput[]): Statement;
  /** Quotes the name of a table or column. Required for names that are not literals of the program. @throws DATABASE_BAD_NAME */
  identifier(...path: readonly string[]): Statement;
  /** Joins statements with a separator. @default ", " */
  join(parts: readonly Statement[], separator?: string): Statement;
  /** Returns parameters separated by commas, for `IN (…)`. @throws DATABASE_BAD_VALUE without values */
  list(values: readonly SqlValue[]): Statement;
}

const ofTemplate = (strings: TemplateStringsArray, inputs: readonly SqlInput[]): Statement => {
  for (let at = 0; at < inputs.length; at++) {
    const input = inputs[at];
    if (input instanceof Statement) return compose(strings, inputs);
    checkValue(input, at + 1);
  }
  return new Statement(textOf(strings), inputs as readonly SqlValue[], strings);
};

const compose = (strings: TemplateStringsArray, inputs: readonly SqlInput[]): Statement => {
  checkTemplate(strings);
  const parts = new Composition();
  for (let at = 0; at < inputs.length; at++) {
    parts.addText(strings[at] ?? "");
    parts.add(inputs[at] as SqlInput);
  }
  parts.addText(strings[inputs.length] ?? "");
  return parts.statement();
};

/** Cached texts of templates with values only. Reusing the same string makes map lookups fast, because its hash is cached. */
const texts = new WeakMap<TemplateStringsArray, string>();

const textOf = (strings: TemplateStringsArray): string => {
  const known = texts.get(strings);
  if (known !== undefined) return known;
  checkTemplate(strings);
  const text = withPlaceholders(strings);
  texts.set(strings, text);
  return text;
};

const withPlaceholders = (pieces: readonly string[]): string =>
  pieces.reduce((before, piece, at) => `${before}$${at}${piece}`);

/** Rejects arrays that are not template strings: otherwise an array from a request body would be sent as SQL. */
const checkTemplate = (strings: unknown): void => {
  if (Array.isArray(strings) && Object.isFrozen(strings) && Object.hasOwn(strings, "raw")) return;
  throw badStatement(strings);
};

const badStatement = (given: unknown): FrameworkError => {
  const received = Array.isArray(given) ? "a list" : given === null ? "null" : typeof given;
  return new FrameworkError(
    "DATABASE_BAD_STATEMENT",
    `a statement must be a template, a string, or a statement of \`sql\`, not ${received}`,
  );
};

/** Builds a statement from texts, values and statements. Values are numbered at the end, so that texts need not be searched for `$1`. */
class Composition {
  private readonly pieces: string[] = [""];
  private readonly values: SqlValue[] = [];

  addText(text: string): void {
    this.pieces[this.pieces.length - 1] += text;
  }

  add(input: SqlInput): void {
    if (input instanceof Statement) return this.addStatement(input);
    checkValue(input, this.values.push(input));
    this.pieces.push("");
  }

  statement(): Statement {
    return new Statement(withPlaceholders(this.pieces), this.values, this.pieces);
  }

  private addStatement({ pieces, values }: Statement): void {
    const [first = "", ...others] = pieces;
    this.addText(first);
    for (const value of values) this.values.push(value); // not spread: a list may have more values than a call has arguments
    for (const piece of others) this.pieces.push(piece);
  }
}

const quoteIdentifier = (name: string): string => {
  if (typeof name !== "string" || name === "" || name.includes("\0")) {
    throw new FrameworkError(
      "DATABASE_BAD_NAME",
      "the name of a table or column must have at least one character and no NUL",
    );
  }
  return `"${name.replaceAll('"', '""')}"`;
};

const join = (parts: readonly Statement[], separator = ", "): Statement => {
  const whole = new Composition();
  for (const [at, part] of parts.entries()) {
    if (!(part instanceof Statement)) throw badStatement(part);
    if (at > 0) whole.addText(separator);
    whole.add(part);
  }
  return whole.statement();
};

const tag = (strings: TemplateStringsArray, ...inputs: readonly SqlInput[]): Statement =>
  ofTemplate(strings, inputs);

/**
 * Creates a statement from a template: every `${value}` becomes a parameter, never a part of the text.
 *
 * @example
 * db.query<Book>(sql`SELECT * FROM books WHERE genre = ${genre}`);
 *
 * @throws DATABASE_BAD_VALUE for a value that cannot be a parameter; DATABASE_BAD_STATEMENT for a call without a template
 */
export const sql: SqlTag = Object.assign(tag, {
  identifier: (...path: readonly string[]): Statement =>
    new Statement((path.length === 0 ? [""] : path).map(quoteIdentifier).join("."), []),
  join,
  list: (values: readonly SqlValue[]): Statement => {
    if (values.length === 0)
      throw new FrameworkError("DATABASE_BAD_VALUE", "sql.list needs at least one value");
    const whole = new Composition();
    for (const [at, value] of values.entries()) {
      if (at > 0) whole.addText(", ");
      whole.add(value);
    }
    return whole.statement();
  },
});

/** First argument of a query method: a template, a statement, or a text. */
export type StatementInput = TemplateStringsArray | Statement | string;
export type StatementArguments = readonly (SqlInput | readonly SqlValue[] | undefined)[];

const noValues: readonly SqlValue[] = Object.freeze([]);

const checkedValues = (values: readonly SqlValue[]): readonly SqlValue[] => {
  for (let at = 0; at < values.length; at++) checkValue(values[at], at + 1);
  return values;
};

/** Parses the arguments of a query method. @throws DATABASE_BAD_STATEMENT, DATABASE_BAD_VALUE, DATABASE_BAD_PARAMETERS */
export const toStatement = (input: StatementInput, others: StatementArguments): Statement => {
  if (typeof input === "string") return new Statement(input, listOf(others));
  return input instanceof Statement ? input : ofTemplate(input, others as readonly SqlInput[]);
};

/** Checks that the argument of `stream` is a statement of `sql`. @throws DATABASE_BAD_STATEMENT */
export const checkStatement = (given: unknown): void => {
  if (given instanceof Statement) return;
  throw new FrameworkError(
    "DATABASE_BAD_STATEMENT",
    "a stream needs a statement of `sql`: stream(sql`SELECT …`)",
  );
};

const listOf = ([values = noValues, ...more]: StatementArguments): readonly SqlValue[] => {
  if (Array.isArray(values) && more.length === 0) return checkedValues([...(values as readonly SqlValue[])]); // a copy, because the statement may wait before it is sent
  throw new FrameworkError(
    "DATABASE_BAD_PARAMETERS",
    "the values of a text must be one list: query(text, [first, second])",
  );
};
