import type { ValidationIssue } from "../errors/http-errors.ts";
import type { StandardIssue, StandardPathSegment } from "./standard-schema.ts";

/** Most issues of one reply. */
export const MAX_ISSUES = 100;
/** Most characters of a message, or of what was expected. */
const MAX_TEXT = 300;
/** Most parts of a place, and most characters of one: keys may be the client's. */
const MAX_DEPTH = 64;
const MAX_SEGMENT = 100;

/**
 * A schema's issues as a reply lists them.
 *
 * `type` is the library's own word for the rule (`code` of zod and arktype, `type` of valibot), else `invalid`. `received` says what kind of value
 * stands at the place and never shows the value, which may be a password; text that a library wrote passes as it is.
 */
export const toValidationIssues = (
  issues: readonly StandardIssue[],
  value: unknown,
  place: string,
): ValidationIssue[] => {
  const count = Math.min(issues.length, MAX_ISSUES);
  const listed: ValidationIssue[] = [];
  for (let index = 0; index < count; index++) {
    const issue = issues[index];
    if (issue !== undefined) listed.push(toValidationIssue(issue, value, place));
  }
  return listed;
};

/** What some libraries add to an issue. */
interface VendorIssue extends StandardIssue {
  readonly code?: unknown;
  readonly type?: unknown;
  readonly expected?: unknown;
  readonly received?: unknown;
}

const toValidationIssue = (issue: StandardIssue, value: unknown, place: string): ValidationIssue => {
  const path = Array.from(issue.path ?? [], keyOf); // `map` of a library's own array class may give something else
  const vendor: VendorIssue = issue;
  const expected = textOf(vendor.expected);
  return {
    loc: [place, ...path.slice(0, MAX_DEPTH).map(toLocation)],
    msg: shortened(String(issue.message), MAX_TEXT),
    type: textOf(vendor.code) ?? textOf(vendor.type) ?? "invalid",
    ...(expected !== undefined && { expected }),
    received: isKind(vendor.received) ? vendor.received : kindAt(value, path),
  };
};

const keyOf = (segment: PropertyKey | StandardPathSegment): PropertyKey =>
  typeof segment === "object" ? segment.key : segment;

const toLocation = (key: PropertyKey): string | number =>
  typeof key === "number" ? key : shortened(String(key), MAX_SEGMENT);

const textOf = (text: unknown): string | undefined =>
  typeof text === "string" && text !== "" ? shortened(text, MAX_TEXT) : undefined;

const shortened = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;

/** Words for kinds of values. A library's `received` that is none of them may hold the value itself. */
const kinds: ReadonlySet<unknown> = new Set(
  "string number integer float nan boolean bigint symbol null object array function date map set file".split(
    " ",
  ),
);

const isKind = (received: unknown): received is string => kinds.has(received);

/** The kind of value at a path; only own members count, so that no client sees what a prototype holds. */
const kindAt = (value: unknown, path: readonly PropertyKey[]): string => {
  let at = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return "missing";
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  if (at === undefined) return "missing";
  if (at === null) return "null";
  return Array.isArray(at) ? "array" : typeof at;
};
