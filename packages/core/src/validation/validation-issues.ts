import type { ValidationIssue } from "../errors/http-errors.ts";
import type { StandardIssue, StandardPathSegment } from "./standard-schema.ts";

/** Maximum number of issues of one reply. */
export const MAX_ISSUES = 100;
/** Maximum length of `msg`, `type` and `expected`, in characters. */
const MAX_TEXT = 300;
/** Maximum depth of a path, and length of a segment: keys may be client input. */
const MAX_DEPTH = 64;
const MAX_SEGMENT = 100;

/**
 * Converts a schema's issues to the issues of a reply.
 *
 * `type` is the library's name of the rule (`code` of zod and arktype, `type` of valibot), else `invalid`. `received` is the kind of the value and
 * never the value itself, which may be a password. The library's message is included, shortened to 300 characters.
 */
export const toValidationIssues = (
  issues: readonly StandardIssue[],
  value: unknown,
  place: string,
): ValidationIssue[] => {
  const count = Math.min(issues.length, MAX_ISSUES);
  const converted: ValidationIssue[] = [];
  for (let index = 0; index < count; index++) {
    const issue = issues[index];
    if (issue !== undefined) converted.push(toValidationIssue(issue, value, place));
  }
  return converted;
};

/** Members that some libraries add to an issue. */
interface VendorIssue extends StandardIssue {
  readonly code?: unknown;
  readonly type?: unknown;
  readonly expected?: unknown;
  readonly received?: unknown;
}

const toValidationIssue = (issue: StandardIssue, value: unknown, place: string): ValidationIssue => {
  const path = Array.from(issue.path ?? [], keyOf); // a library's own array class may override `map`
  const vendor: VendorIssue = issue;
  const expected = textOf(vendor.expected);
  return {
    loc: [place, ...path.slice(0, MAX_DEPTH).map(toLocation)],
    msg: shorten(String(issue.message), MAX_TEXT),
    type: textOf(vendor.code) ?? textOf(vendor.type) ?? "invalid",
    ...(expected !== undefined && { expected }),
    received: isKind(vendor.received) ? vendor.received : kindAt(value, path),
  };
};

const keyOf = (segment: PropertyKey | StandardPathSegment): PropertyKey =>
  typeof segment === "object" ? segment.key : segment;

const toLocation = (key: PropertyKey): string | number =>
  typeof key === "number" ? key : shorten(String(key), MAX_SEGMENT);

const textOf = (text: unknown): string | undefined =>
  typeof text === "string" && text !== "" ? shorten(text, MAX_TEXT) : undefined;

const shorten = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;

/** Kinds of values. Any other text in a library's `received` may contain the value itself. */
const kinds: ReadonlySet<unknown> = new Set(
  "string number integer float nan boolean bigint symbol null object array function date map set file".split(
    " ",
  ),
);

const isKind = (received: unknown): received is string => kinds.has(received);

/** Returns the kind of the value at a path. Only own members count, so that prototypes stay hidden from clients. */
const kindAt = (value: unknown, path: readonly PropertyKey[]): string => {
  let at = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return "missing";
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  if (at === undefined) return "missing";
  if (at === null) return "null";
  if (Array.isArray(at)) return "array";
  return Object.prototype.toString.call(at) === "[object File]" ? "file" : typeof at;
};
