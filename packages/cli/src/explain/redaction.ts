import type { RequestStep } from "@framework/core/feature";

/** Replaces in a reason what the request sent. */
export type Redaction = (reason: string) => string;

/** Shorter values are words of every text. */
const LEAST_LENGTH = 4;
/** Shorter values are hidden where they are a word: `book` is a part of many paths. */
const PART_LENGTH = 8;
const HIDDEN = "(hidden)";

/** Fields whose values name formats, conditions and places, as reasons do. */
const OPEN_FIELDS =
  /^(?:accept(?:-\w+)?|access-control-request-\w+|cache-control|connection|content-(?:encoding|length|type)|host|if-(?:modified-since|none-match|range)|origin|range|sec-fetch-\w+)$/;

/**
 * Hides the values of a request's fields, cookies, query and body wherever a reason repeats them: messages of errors and reasons of other people's features may quote one.
 *
 * Values of fewer than four characters stay, as do those of fields that describe formats and conditions.
 */
export const redactionFor = (request: Request, body: string | null): Redaction => {
  const values = [
    ...[...request.headers]
      .filter(([name]) => !OPEN_FIELDS.test(name))
      .flatMap(([, value]) => partsOf(value)),
    ...new URL(request.url).searchParams.values(),
    ...(body === null ? [] : valuesOf(body)),
  ];
  const wanted = [...new Set(values.flatMap(spellings))]
    .filter(({ length }) => length >= LEAST_LENGTH)
    .sort((one, other) => other.length - one.length); // a value may contain another
  const patterns = wanted.map((value) => {
    const escaped = RegExp.escape(value);
    return new RegExp(value.length < PART_LENGTH ? `(?<!\\w)${escaped}(?!\\w)` : escaped, "g");
  });
  return (reason) => patterns.reduce((text, pattern) => text.replaceAll(pattern, HIDDEN), reason);
};

/** Returns a step whose words are redacted. */
export const redactedStep = (step: RequestStep, redact: Redaction): RequestStep => ({
  ...step,
  error: step.error === null ? null : redact(step.error),
  reasons: step.reasons.map(redact),
});

/** A field's value, and its parts: `Bearer abc`, `a=1; b=2`. */
const partsOf = (value: string): readonly string[] => [
  value,
  ...value.split(/[\s;,]+/),
  ...value.split(/[\s;,]+/).map((part) => part.slice(part.indexOf("=") + 1)),
];

/** A value in its own letters, escaped in JSON, and encoded in a URL. */
const spellings = (value: string): readonly string[] => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value.toWellFormed()),
];

/** The texts and numbers of a JSON or form body; any other body is one value. */
const valuesOf = (body: string): readonly string[] => {
  try {
    return leavesOf(JSON.parse(body));
  } catch {
    return [body, ...new URLSearchParams(body).values()];
  }
};

const leavesOf = (value: unknown): readonly string[] => {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [];
};
