import type { Problem } from "../errors/configuration-error.ts";
import { hasControl, isDotSegment, MAX_SEGMENTS, segmentSpelling, segmentText } from "./canonical-path.ts";

/** One segment of a route's path. */
export type PatternSegment =
  /** Matches this text, encoded like canonical paths. */
  | { readonly kind: "static"; readonly text: string }
  /** Matches one whole non-empty segment. */
  | { readonly kind: "param"; readonly name: string }
  /** Matches the rest of the path, at least one character. */
  | { readonly kind: "wildcard"; readonly name: string };

/** A parsed route path. */
export interface Pattern {
  /** The path as written in the program. */
  readonly path: string;
  readonly segments: readonly PatternSegment[];
  /** Parameter names in path order. */
  readonly names: readonly string[];
  /** Number of segments before the first parameter. */
  readonly frontSegments: number;
  /** Index at which the first parameter begins in every matching path. */
  readonly paramStart: number;
}

/** A pattern, or one problem that lists all its mistakes. */
export type ParsedPattern =
  | { readonly pattern: Pattern; readonly problem: null }
  | { readonly pattern: null; readonly problem: Problem };

/**
 * Parses a route's path: `{name}` is a whole segment, `{*name}` the rest of the path; other text is literal and matched decoded
 * (write `/größe` and `/a b` unescaped). Names are identifiers and occur once.
 *
 * The problem has the code CORE_ROUTE_BAD_PATTERN and suggests what to write instead.
 */
export const parsePattern = (path: string): ParsedPattern => {
  const mistakes = [...pathMistakes(path)];
  const segments: PatternSegment[] = [];
  for (const text of path.slice(1).split("/")) {
    const mistake = segmentMistake(text);
    if (mistake === null) segments.push(toSegment(text));
    else mistakes.push(mistake);
  }
  const names = segments.flatMap((segment) => (segment.kind === "static" ? [] : [segment.name]));
  mistakes.push(...nameMistakes(names), ...wildcardMistakes(segments));
  if (mistakes.length === 0) {
    return { pattern: { path, segments, names, ...frontOf(segments) }, problem: null };
  }
  const message = `the route path ${JSON.stringify(path)} ${mistakes.join("; it ")}`;
  return { pattern: null, problem: { code: "CORE_ROUTE_BAD_PATTERN", message } };
};

/** Whether a pattern has no parameters and so matches exactly one path. */
export const isStatic = (pattern: Pattern): boolean => pattern.names.length === 0;

/**
 * Returns the decoded parameters of a matching canonical path, in an object without prototype.
 *
 * @param escaped whether the path contains a `%`
 */
export const paramsOf = (
  pattern: Pattern,
  path: string,
  escaped: boolean,
): Readonly<Record<string, string>> => {
  const { segments } = pattern;
  const params = new NoPrototype();
  let start = pattern.paramStart;
  for (let at = pattern.frontSegments; at < segments.length; at++) {
    const segment = segments[at] as PatternSegment;
    if (segment.kind === "static") {
      start += segment.text.length + 1;
      continue;
    }
    const end = at + 1 < segments.length ? endOfSegment(path, start) : path.length;
    const spelling = path.slice(start, end);
    params[segment.name] = escaped ? segmentText(spelling) : spelling;
    start = end + 1;
  }
  return params;
};

/** Returns the end index of the segment that contains `start`. Searches short segments in a loop: a call of `indexOf` takes about 200 instructions. */
export const endOfSegment = (path: string, start: number): number => {
  const near = Math.min(path.length, start + NEAR);
  for (let at = start; at < near; at++) if (path.charCodeAt(at) === SLASH) return at;
  if (near === path.length) return near;
  const end = path.indexOf("/", near);
  return end === -1 ? path.length : end;
};

const NEAR = 12;
const SLASH = 0x2f;

/** Creates objects like `Object.create(null)`, but with a hidden class, so V8 fills and reads them faster. */
const NoPrototype = function () {} as unknown as new () => Record<string, string>;
NoPrototype.prototype = Object.freeze(Object.create(null));

const frontOf = (segments: readonly PatternSegment[]): Pick<Pattern, "frontSegments" | "paramStart"> => {
  let [frontSegments, paramStart] = [0, 1];
  for (const segment of segments) {
    if (segment.kind !== "static") break;
    frontSegments++;
    paramStart += segment.text.length + 1;
  }
  return { frontSegments, paramStart };
};

const toSegment = (text: string): PatternSegment => {
  if (!text.startsWith("{")) return { kind: "static", text: segmentSpelling(text) };
  const inner = text.slice(1, -1);
  return inner.startsWith("*") ? { kind: "wildcard", name: inner.slice(1) } : { kind: "param", name: inner };
};

const pathMistakes = function* (path: string): Generator<string> {
  if (!path.startsWith("/")) yield "must start with /";
  if (path.split("/").length - 1 > MAX_SEGMENTS)
    yield `has more than ${MAX_SEGMENTS} segments, which no request may have`;
  if (/[?#]/.test(path)) yield "must not contain ? or #: read the query from request.query";
  if (hasControl(path) || !path.isWellFormed()) yield "contains characters that no request may have";
  const escape = /%[0-9a-f]{2}/i.exec(path);
  if (escape !== null) yield `is matched decoded: write the character itself instead of ${escape[0]}`;
};

const IDENTIFIER = /^[a-z_][a-z0-9_]*$/i;

const segmentMistake = (text: string): string | null => {
  if (isDotSegment(text)) return `has the segment "${text}", which no request may have`;
  if (text.startsWith("*")) return `has the segment "${text}": write {*rest} for the rest of the path`;
  const colon = /^:([a-z_][a-z0-9_]*)/i.exec(text);
  if (colon !== null) return `has the segment "${text}": write {${colon[1]}}`;
  if (!/[{}]/.test(text)) return null;
  const inner = /^\{(\*?)([^{}]*)\}$/.exec(text);
  if (inner === null) return `has "${text}": a parameter must be a whole segment, such as /{name}/`;
  const [, star, name = ""] = inner;
  if (name === "") return `has a parameter without a name: write {${star}name}`;
  if (IDENTIFIER.test(name)) return null;
  return `has the parameter {${star}${name}}: a name is letters, digits and _ only; check values with a params schema`;
};

const nameMistakes = (names: readonly string[]): string[] =>
  [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].map(
    (name) => `has the parameter "${name}" more than once: give each its own name`,
  );

const wildcardMistakes = (segments: readonly PatternSegment[]): string[] =>
  segments
    .slice(0, -1)
    .flatMap((segment) =>
      segment.kind === "wildcard" ? [`has {*${segment.name}} before its end: a wildcard must be last`] : [],
    );
