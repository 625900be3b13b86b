import { nearest } from "@framework/core/feature";
import { testingError } from "./errors.ts";
import { MAX_MS } from "./in-time.ts";

/** Returns the expected value of an argument as text, or `null` if it is valid. */
export type Rule = (value: unknown) => string | null;

/**
 * Checks the options of a call; `undefined` is the default of each.
 *
 * @param call name of the function, for the message
 * @param rules rules of the known options
 * @throws TESTING_BAD_OPTION with every problem
 */
export const checkArguments = (
  call: string,
  options: object,
  rules: Readonly<Record<string, Rule>>,
  others: readonly string[] = [],
): void => {
  const problems = Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) return unknownName(name, [...Object.keys(rules), ...others]);
    const wanted = value === undefined ? null : rule(value);
    return wanted === null ? [] : [`${name} must be ${wanted}`];
  });
  if (problems.length > 0) throw testingError("TESTING_BAD_OPTION", `${call}: ${problems.join("; ")}`);
};

/** Reports an unknown option. `known` includes options that are checked elsewhere. */
const unknownName = (name: string, known: readonly string[]): string[] => {
  if (known.includes(name)) return [];
  const [near] = nearest(name, known);
  return [`there is no option ${JSON.stringify(name)}${near === undefined ? "" : `; did you mean ${near}?`}`];
};

/** Accepts a duration in milliseconds. */
export const duration: Rule = (value) =>
  typeof value === "number" && value >= 1 && value <= MAX_MS
    ? null
    : `a number of milliseconds from 1 to ${MAX_MS}`;

/** Returns a rule that accepts whole numbers of at least `min`. */
export const wholeNumber =
  (min: number): Rule =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= min ? null : `a whole number of at least ${min}`;

/** Accepts a whole number of bytes, or `Infinity`. */
export const size: Rule = (value) =>
  value === Infinity || wholeNumber(0)(value) === null ? null : "a whole number of bytes, or Infinity";

/** Accepts header fields in any form that `Headers` takes. */
export const headerFields: Rule = (value) => {
  try {
    return new Headers(value as ConstructorParameters<typeof Headers>[0]) instanceof Headers
      ? null
      : "header fields";
  } catch {
    return "header fields with valid names and values"; // the value may be a secret
  }
};

/** Accepts true or false. */
export const flag: Rule = (value) => (typeof value === "boolean" ? null : "true or false");

/** Accepts a function. */
export const callback: Rule = (value) => (typeof value === "function" ? null : "a function");
