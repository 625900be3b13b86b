import { MAX_ATTRIBUTE } from "./redact.ts";

/** Literals of any dialect of SQL. Where dialects differ in whether a backslash escapes a quote, the literal extends to the end of the statement. */
const literals = [
  String.raw`(?<!\w)e'(?:[^'\\]|''|\\[^])*(?:'|\\?$)`,
  String.raw`'(?:[^'\\]|''|\\[^'])*(?:\\'[^]*|'|\\?$)`,
  String.raw`\$(?<tag>(?:[a-z_]\w*)?)\$[^]*?(?:\$\k<tag>\$|$)`,
  String.raw`(?<![\w$:@?])\d[\w.]*`, // no part of a name, no number of a parameter
];

/** Comments, whose apostrophes begin no literal. */
const comments = [String.raw`--[^\n]*`, String.raw`#\s[^\n]*`, String.raw`\/\*[^]*?(?:\*\/|$)`];

/** Quoted names, whose apostrophes begin no literal either. */
const names = ['"(?:[^"]|"")*(?:"|$)', "`[^`]*(?:`|$)"];

const piece = new RegExp(
  `(?<literal>${literals.join("|")})|(?<comment>${comments.join("|")})|${names.join("|")}`,
  "gi",
);

/** Replaces the literals of a statement, which may be data of users, and removes its comments. Text in double quotes stays: it is a name in standard SQL. */
export const redactStatement = (text: string): string =>
  text
    .slice(0, 2 * MAX_ATTRIBUTE)
    .replace(piece, (all: string, ...rest: unknown[]) => {
      const { literal, comment } = rest.at(-1) as { readonly literal?: string; readonly comment?: string };
      return literal !== undefined ? "?" : comment !== undefined ? "" : all;
    })
    .slice(0, MAX_ATTRIBUTE);
