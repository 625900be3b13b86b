import { MAX_ATTRIBUTE } from "./redact.ts";

/** Literals of any dialect of SQL. If dialects differ in whether a backslash escapes a quote, the literal extends to the end of the statement. */
const literals = [
  String.raw`(?<!\w)e'(?:[^'\\]|''|\\[^])*(?:'|\\?$)`,
  String.raw`'(?:[^'\\]|''|\\[^'])*(?:\\'[^]*|'|\\?$)`,
  String.raw`\$(?<tag>(?:[a-z_]\w*)?)\$[^]*?(?:\$\k<tag>\$|$)`,
  String.raw`(?<![\w$:@?])\d[\w.]*`, // not within a name, nor the number of a parameter
];

/** Comments, within which apostrophes do not start a literal. */
const comments = [String.raw`--[^\n]*`, String.raw`#\s[^\n]*`, String.raw`\/\*[^]*?(?:\*\/|$)`];

/** Quoted names, within which apostrophes also do not start a literal. */
const names = ['"(?:[^"]|"")*(?:"|$)', "`[^`]*(?:`|$)"];

const piece = new RegExp(
  `(?<literal>${literals.join("|")})|(?<comment>${comments.join("|")})|${names.join("|")}`,
  "gi",
);

/** Replaces the literals of a statement, which may be user data, and removes its comments. Keeps text in double quotes, which is a name in standard SQL. */
export const redactStatement = (text: string): string =>
  text
    .slice(0, 2 * MAX_ATTRIBUTE)
    .replace(piece, (all: string, ...rest: unknown[]) => {
      const { literal, comment } = rest.at(-1) as { readonly literal?: string; readonly comment?: string };
      return literal !== undefined ? "?" : comment !== undefined ? "" : all;
    })
    .slice(0, MAX_ATTRIBUTE);
