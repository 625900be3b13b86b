import { parseEnv } from "node:util";

/** A `.env` file: its values, the line of each name, and its malformed lines. */
export interface EnvFile {
  readonly values: ReadonlyMap<string, string>;
  readonly lines: ReadonlyMap<string, number>;
  readonly problems: readonly LineProblem[];
}

/** Problem of a line; lines are counted from 1. */
export interface LineProblem {
  readonly line: number;
  readonly problem: string;
}

/** Parses a file by the rules of Node's `util.parseEnv`, and reports the lines that Node ignores or misreads. */
export const parseEnvFile = (text: string): EnvFile => {
  const rows = text.replace(/^\uFEFF/, "").split(/\r\n?|\n/);
  const values = new Map<string, string>();
  const lines = new Map<string, number>();
  const problems: LineProblem[] = [];
  for (let row = 0; row < rows.length; row++) {
    const content = (rows[row] ?? "").trimStart();
    if (content === "" || content.startsWith("#")) continue;
    const line = row + 1;
    const [, name, space = "", value = ""] = /^(?:export\s+)?([a-z_]\w*)\s*=(\s*)(.*)$/is.exec(content) ?? [];
    if (name === undefined) {
      problems.push({ line, problem: "is not NAME=value, a comment or empty" });
      continue;
    }
    const first = lines.get(name);
    if (first !== undefined) problems.push({ line, problem: `sets ${name} again, after line ${first}` });
    lines.set(name, line);
    const end = endOfValue(rows, row, value);
    const rawValue = [value, ...rows.slice(row + 1, (end ?? row) + 1)].join("\n");
    const problem =
      end === null ? `opens a quote for ${name} that never closes` : droppedText(name, space + rawValue);
    if (problem !== null) problems.push({ line, problem });
    // Each assignment is parsed separately: in a whole file Node parses an indented comment as a name, and the line after an empty value as the value.
    values.set(name, parseEnv(`${name}=${rawValue}`)[name] ?? "");
    row = end ?? row;
  }
  return { values, lines, problems };
};

/** Returns the index of the row on which a value ends: that of its closing quote; `null` if the quote is never closed. */
const endOfValue = (rows: readonly string[], row: number, value: string): number | null => {
  const quote = /^["'`]/.exec(value)?.[0];
  if (quote === undefined || value.includes(quote, 1)) return row;
  const end = rows.findIndex((each, index) => index > row && each.includes(quote));
  return end === -1 ? null : end;
};

/** Returns a problem if Node would drop part of a value: text after a closing quote, or after a "#" without a space before it. */
const droppedText = (name: string, rawValue: string): string | null => {
  const [opening = "", quote] = /^\s*(["'`])/.exec(rawValue) ?? [];
  if (quote !== undefined) {
    const rest = rawValue.slice(rawValue.indexOf(quote, opening.length) + 1);
    return /^\s*(?:#.*)?$/.test(rest) ? null : `has text after the closing quote of ${name}`;
  }
  return /^(?:[^#]*[^#\s])?#/.test(rawValue)
    ? `begins a comment within the value of ${name} (quote the value, or put a space before the #)`
    : null;
};
