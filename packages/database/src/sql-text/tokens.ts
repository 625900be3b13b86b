/** The two SQL dialects, which differ in quotes and comments. */
export type Dialect = "sqlite" | "postgres";

/**
 * A token of a text: a word, a parameter (`named`: one of another form, such as `?` or `:name`), quoted text, a character that ends or nests statements, or
 * an unclosed comment; `other` is everything else.
 */
export interface Token {
  readonly kind:
    | "word"
    | "parameter"
    | "named"
    | "quoted"
    | "semicolon"
    | "open"
    | "close"
    | "unclosed"
    | "other";
  /** Source text of the token. */
  readonly text: string;
  readonly at: number;
}

const word = String.raw`(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)`;
const parameter = String.raw`(?<parameter>\$\d+(?![\w$\u0080-\uffff]))`;
const numberOrOther = String.raw`(?<number>\d[\w.]*)|(?<other>[^])`;

/** Spaces and comments by dialect. On PostgreSQL a carriage return also ends a line comment. */
const skips: Readonly<Record<Dialect, string>> = {
  sqlite: String.raw`(?<skip>\s+|--[^\n]*|\/\*)`,
  postgres: String.raw`(?<skip>\s+|--[^\n\r]*|\/\*)`,
};

/** Tokens by dialect. For quotes and block comments only the start is matched; `endOf` finds the end. */
const patterns: Readonly<Record<Dialect, RegExp>> = {
  sqlite: new RegExp(
    [
      skips.sqlite,
      "(?<quote>['\"`[])",
      word,
      parameter,
      String.raw`(?<named>\?\d*|[:@$#][\w\u0080-\uffff]+)`,
      numberOrOther,
    ].join("|"),
    "y",
  ),
  postgres: new RegExp(
    [
      skips.postgres,
      String.raw`(?<quote>[eE]?'|"|\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)`,
      word,
      parameter,
      numberOrOther,
    ].join("|"),
    "y",
  ),
};

const punctuation: Readonly<Record<string, Token["kind"]>> = {
  ";": "semicolon",
  "(": "open",
  ")": "close",
};

type Groups = Readonly<Partial<Record<string, string>>>;

/** Yields the tokens of a text, without spaces and closed comments. Linear time. */
export function* tokensOf(text: string, dialect: Dialect): Generator<Token> {
  const pattern = patterns[dialect];
  for (let at = 0; at < text.length;) {
    pattern.lastIndex = at;
    const groups: Groups = pattern.exec(text)?.groups ?? {};
    const end = endOf(text, pattern.lastIndex, groups, dialect);
    if (groups["skip"] === undefined) yield { kind: kindOf(groups), text: text.slice(at, end), at };
    else if (end === UNCLOSED) yield { kind: "unclosed", text: text.slice(at), at };
    at = end === UNCLOSED ? text.length : end;
  }
}

const kindOf = ({ word, quote, parameter, named, other }: Groups): Token["kind"] => {
  if (quote !== undefined) return "quoted";
  if (word !== undefined) return "word";
  if (parameter !== undefined) return "parameter";
  if (named !== undefined) return "named";
  return punctuation[other ?? ""] ?? "other";
};

const UNCLOSED = -1;

/** Returns the end of a token whose start ends at `from`: the end of the text for an unclosed quote, `UNCLOSED` for an unclosed comment. */
const endOf = (text: string, from: number, { skip, quote }: Groups, dialect: Dialect): number => {
  if (skip === "/*") return dialect === "postgres" ? afterNested(text, from) : afterComment(text, from);
  switch (quote) {
    case undefined:
      return from;
    case "[":
      return after(text, "]", from);
    case "e'":
    case "E'":
      return afterEscaped(text, from);
    case "'":
    case '"':
    case "`":
      return afterQuote(text, quote, from);
    default:
      return after(text, quote, from); // the tag of a dollar quote
  }
};

const after = (text: string, close: string, from: number): number => {
  const at = text.indexOf(close, from);
  return at === -1 ? text.length : at + close.length;
};

/** A doubled quote is a character of the string. */
const afterQuote = (text: string, quote: string, from: number): number => {
  let end = after(text, quote, from);
  while (text[end] === quote) end = after(text, quote, end + 1);
  return end;
};

const afterEscaped = (text: string, from: number): number => {
  const marks = /\\[^]|''|'/g;
  marks.lastIndex = from;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text))
    if (mark[0] === "'") return marks.lastIndex;
  return text.length;
};

const afterComment = (text: string, from: number): number => {
  const at = text.indexOf("*/", from);
  return at === -1 ? UNCLOSED : at + 2;
};

/** Comments of PostgreSQL nest. */
const afterNested = (text: string, from: number): number => {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = from;
  for (let depth = 1; depth > 0;) {
    const mark = marks.exec(text);
    if (mark === null) return UNCLOSED;
    depth += mark[0] === "/*" ? 1 : -1;
  }
  return marks.lastIndex;
};
