import { unknownFields } from "@framework/core/feature";
import { shownUrls } from "./shown-urls.ts";

/** A parsed value, or the rule that the text violates, as "must be …". */
export type Parsed<T> = { readonly value: T } | { readonly problem: string };

/** One environment variable: its name, the type of its value, and how text becomes a value. */
export interface Setting<T> {
  /** Name of the variable, such as `DATABASE_URL`. */
  readonly name: string;
  /** The accepted values, as a noun: `a whole number from 1 to 65535`. */
  readonly expected: string;
  /** Purpose of the setting, for the table and `.env.example`. */
  readonly meaning: string;
  /** Whether values are hidden in messages, summaries and the table. */
  readonly isSecret: boolean;
  /** Value of a variable that is not set, and its text; `null` for a required one. */
  readonly whenUnset: Unset<T> | null;
  /** The rule that the default breaks, or `null`. */
  readonly defaultProblem: string | null;
  /** Messages about unknown options. */
  readonly unknownOptions?: readonly string[];
  /** Reads the text of a variable that is set. */
  readonly parse: (text: string) => Parsed<T>;
  /** Returns the text for display, without passwords and secrets. */
  readonly show: (text: string) => string;
}

/** The default of a setting. */
export interface Unset<T> {
  /** Value of the setting. */
  readonly value: T;
  /** The text that would give the same value; empty for a setting that may be absent. */
  readonly text: string;
}

/** Options of every setting. */
export interface SettingOptions<T> {
  /** Value of a variable that is not set; a setting without a default is required. */
  readonly default?: T;
  /** Purpose of the setting: one line in the table and in `.env.example`. @default "" */
  readonly meaning?: string;
}

/** Properties of a setting that depend on its type, and its options. */
export interface SettingRules<T> extends SettingOptions<T> {
  readonly expected: string;
  readonly parse: (text: string) => Parsed<T>;
  readonly textOf?: (value: T) => string;
  readonly show?: (text: string) => string;
  readonly isSecret?: boolean;
  /** Whether the default is an output of the schema, and not validated as text. */
  readonly isDefaultOutput?: boolean;
}

/**
 * Creates a setting from a type's rules and the program's options.
 *
 * @param own names of the type's additional options
 */
export const setting = <T>(name: string, rules: SettingRules<T>, own: readonly string[] = []): Setting<T> => {
  const { expected, parse, meaning = "", isSecret = false, textOf = String, show = quote } = rules;
  const value = isSecret ? undefined : rules.default; // a secret must not be in the source code
  const whenUnset = value === undefined ? null : { value, text: textOf(value) };
  const parsed = whenUnset === null || rules.isDefaultOutput === true ? null : parse(whenUnset.text);
  const defaultProblem = parsed === null ? null : problemOf(parsed, value, expected);
  const given = Object.fromEntries(Object.entries(rules).filter(([key]) => !ruleNames.includes(key)));
  const unknownOptions = unknownFields(`the options object of the setting ${name}`, given, [
    ...(isSecret ? [] : ["default"]),
    "meaning",
    ...own,
  ]);
  return { name, expected, meaning, isSecret, whenUnset, defaultProblem, unknownOptions, parse, show };
};

/** Returns the rule that a default breaks. A default of another type, such as "no" for a flag, would become the value of the setting unchecked. */
const problemOf = (parsed: Parsed<unknown>, value: unknown, expected: string): string | null => {
  if ("problem" in parsed) return parsed.problem;
  return typeOf(parsed.value) === typeOf(value)
    ? null
    : `must be ${expected}, and not of type ${typeOf(value)}`;
};

const typeOf = (value: unknown): string => {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
};

/** Names of the rules that a type sets; all others are options. */
const ruleNames = ["expected", "parse", "textOf", "show", "isSecret", "isDefaultOutput"];

/** A setting that may be absent; its value is then `undefined`. */
export const optional = <T>(of: Setting<T>): Setting<T | undefined> => ({
  ...of,
  defaultProblem:
    of.whenUnset?.value === undefined ? null : "has no effect within optional: remove one of the two",
  whenUnset: { value: undefined, text: "" },
});

/** Whether a value of a shape is a setting, and not a nested record. */
export const isSetting = (value: unknown): value is Setting<unknown> =>
  typeof (value as { parse?: unknown } | null | undefined)?.parse === "function";

/** Returns a text in quotes, shortened. Credentials are removed first, because the `@` that marks them may be in the part that is cut. */
const quote = (text: string): string => {
  const redacted = shownUrls(text);
  return JSON.stringify(redacted.length > 60 ? `${redacted.slice(0, 60)}…` : redacted);
};
