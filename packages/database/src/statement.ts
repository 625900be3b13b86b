import { FrameworkError } from "@framework/core";
import { checkValue, type SqlValue } from "./sql-value.ts";

/** A statement with its parameters separate from its text, which contains `$1`, `$2` … Made by `sql`. */
export class Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];

  constructor(text: string, values: readonly SqlValue[]) {
    this.text = text;
    this.values = values;
  }
}

/** A value of a template: a parameter, or another statement that is inlined. */
export type SqlInput = SqlValue | Statement;

/** The tag `sql`, with builders for parts that are not parameters. */
export interface SqlTag {
  (strings: TemplateStringsArray, ...inputs: readonly SqlInput[]): Statement;
  /** A quoted name of a table or column: the only safe way for a name that is not written in the program. */
  identifier(...path: readonly string[]): Statement;
  /** Statements with a separator between them. */
  join(parts: readonly Statement[], separator?: string): Statement;
  /** Parameters with commas between them, for `IN (…)`; at least one. */
  list(values: readonly SqlValue[]): Statement;
}

const ofTemplate = (strings: TemplateStringsArray, inputs: readonly SqlInput[]): Statement => {
  for (let at = 0; at < inputs.length; at++) {
    const input = inputs[at];
    if (input instanceof Statement) return composed(strings, inputs);
    checkValue(input, at + 1);
  }
  return new Statement(textOf(strings), inputs as readonly SqlValue[]);
};

const composed = (strings: TemplateStringsArray, inputs: readonly SqlInput[]): Statement => {
  let text = strings[0] ?? "";
  const values: SqlValue[] = [];
  for (let at = 0; at < inputs.length; at++) {
    text += append(inputs[at] as SqlInput, values) + (strings[at + 1] ?? "");
  }
  return new Statement(text, values);
};

/** Cached texts of templates with values only. The same string each time makes map lookups fast, because its hash is known. */
const texts = new WeakMap<TemplateStringsArray, string>();

const textOf = (strings: TemplateStringsArray): string => {
  const known = texts.get(strings);
  if (known !== undefined) return known;
  const text = strings.reduce((before, piece, at) => `${before}$${at}${piece}`);
  texts.set(strings, text);
  return text;
};

const append = (input: SqlInput, values: SqlValue[]): string => {
  if (!(input instanceof Statement)) {
    checkValue(input, values.push(input));
    return `$${values.length}`;
  }
  const shift = values.length;
  values.push(...input.values);
  return shift === 0
    ? input.text
    : input.text.replaceAll(/\$(\d+)/g, (_, place: string) => `$${Number(place) + shift}`);
};

const quoted = (name: string): string => {
  if (name === "" || name.includes("\0")) {
    throw new FrameworkError(
      "DATABASE_BAD_NAME",
      "a name of a table or column has at least one character and no NUL",
    );
  }
  return `"${name.replaceAll('"', '""')}"`;
};

const join = (parts: readonly Statement[], separator = ", "): Statement => {
  const values: SqlValue[] = [];
  return new Statement(parts.map((part) => append(part, values)).join(separator), values);
};

const tag = (strings: TemplateStringsArray, ...inputs: readonly SqlInput[]): Statement =>
  ofTemplate(strings, inputs);

/**
 * Makes a statement from a template: every `${value}` becomes a parameter and never a piece of text.
 *
 * @example
 * db.query<Book>(sql`SELECT * FROM books WHERE genre = ${genre}`);
 *
 * @throws DATABASE_BAD_VALUE for a value that cannot be a parameter
 */
export const sql: SqlTag = Object.assign(tag, {
  identifier: (...path: readonly string[]): Statement => new Statement(path.map(quoted).join("."), []),
  join,
  list: (values: readonly SqlValue[]): Statement => {
    if (values.length === 0)
      throw new FrameworkError("DATABASE_BAD_VALUE", "sql.list needs at least one value");
    return new Statement(values.map((_, at) => `$${at + 1}`).join(", "), checkedValues(values));
  },
});

/** Arguments of a query method: a template and its inputs, a statement, or text and its parameters. */
export type Asked = TemplateStringsArray | Statement | string;
export type AskedWith = readonly (SqlInput | readonly SqlValue[] | undefined)[];

const noValues: readonly SqlValue[] = Object.freeze([]);

const checkedValues = (values: readonly SqlValue[]): readonly SqlValue[] => {
  for (let at = 0; at < values.length; at++) checkValue(values[at], at + 1);
  return values;
};

/** Parses the arguments of a query method. @throws DATABASE_BAD_VALUE */
export const toStatement = (asked: Asked, others: AskedWith): Statement => {
  if (typeof asked === "string") {
    return new Statement(asked, checkedValues((others[0] as readonly SqlValue[] | undefined) ?? noValues));
  }
  return asked instanceof Statement ? asked : ofTemplate(asked, others as readonly SqlInput[]);
};
