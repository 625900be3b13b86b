import type { FieldRule } from "../config/config-record.ts";
import { describeValue } from "../config/wrong-value.ts";
import { isUnder } from "./canonical-path.ts";
import { parsePattern } from "./pattern.ts";

/**
 * Returns the mistake in a path prefix, which covers itself and all paths below it, such as a path that an option exempts; `null` for a valid prefix.
 *
 * A prefix is written decoded like the path of a route, but without parameters. Escapes, `.` and `..` and a query are mistakes, because no request matches
 * them; `//`, a trailing slash and wildcards are also mistakes.
 */
export const prefixProblem = (path: unknown): string | null => {
  if (typeof path !== "string") return `${describeValue(path)} is not a path such as "/health"`;
  const shown = JSON.stringify(path.length <= MAX_SHOWN ? path : `${path.slice(0, MAX_SHOWN)}…`);
  if (/[*{}]/.test(path)) return `${shown} has parameters or wildcards; a path covers everything below it`;
  if (path.includes("//")) return `${shown} has an empty segment; write one slash`;
  if (path.length > 1 && path.endsWith("/"))
    return `${shown} ends in a slash, so it would cover only itself; remove it`;
  const { problem } = parsePattern(path);
  return problem === null
    ? null
    : problem.message.replace(/^the route path .*?" (?=must|has|is|cont)/su, `${shown} `);
};

const MAX_SHOWN = 100;

/** Converts a valid prefix to the spelling of canonical paths. */
export const canonicalPrefix = (path: string): string => {
  const { pattern } = parsePattern(path);
  const segments = pattern?.segments ?? [];
  return segments.map((segment) => (segment.kind === "static" ? `/${segment.text}` : "")).join("");
};

/** Returns a predicate: whether a canonical path is one of these paths or below one of them. Options check the paths with `pathPrefixes`. */
export const coversPath = (paths: readonly string[]): ((path: string) => boolean) => {
  const prefixes = paths.map(canonicalPrefix);
  return (path) => {
    for (const prefix of prefixes) if (isUnder(path, prefix)) return true;
    return false;
  };
};

/** A list of paths, each of which covers everything below it. @default [] */
export const pathPrefixes: FieldRule<readonly string[]> = Object.freeze({
  default: [],
  namesParts: true,
  problem: (value: unknown) => {
    if (!Array.isArray(value)) return 'must be a list of paths such as "/health"';
    const problems = value.map(prefixProblem).filter((problem) => problem !== null);
    return problems.length === 0 ? null : `must be a list of paths: ${problems.join("; ")}`;
  },
});
