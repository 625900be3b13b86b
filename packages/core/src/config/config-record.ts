import { ConfigurationError, type Problem } from "../errors/configuration-error.ts";
import { nearest } from "../errors/nearest.ts";
import { isPlainObject, describeValue, invalidPart } from "./wrong-value.ts";

/** Rule of one field: its default, and a check that returns the mistake in a value (`null` for a valid one). */
export interface FieldRule<T> {
  /** Value of an omitted field. */
  readonly default: T;
  /** Returns the mistake in a value, or `null`. */
  readonly problem: (value: unknown) => string | null;
  /** Whether messages omit the value. @default false */
  readonly isSecret?: boolean;
  /** Whether `problem` itself names the invalid items or fields, so messages do not add them. @default false */
  readonly namesParts?: boolean;
}

/** The result of reading a record: the frozen values with defaults filled in, and every mistake. */
export interface ReadResult<T> {
  /** The record, with all defaults. */
  readonly value: Readonly<T>;
  /** One message for each mistake in the input. */
  readonly problems: readonly string[];
}

/** A named configuration record: plain fields, each with a default and a rule. */
export interface ConfigRecord<T extends object> {
  /** Name in messages, such as `CorsConfig`. */
  readonly name: string;
  /** Reads a record without throwing. */
  read(input?: ConfigInput<T>): ReadResult<T>;
  /** Returns the frozen record with defaults filled in. @throws ConfigurationError CORE_BAD_CONFIG, all mistakes in one message */
  of(input?: ConfigInput<T>): Readonly<T>;
}

/** Input of a record: any of its fields; `undefined` means the default. */
export type ConfigInput<T> = { readonly [K in keyof T]?: T[K] | undefined };

/**
 * Defines a configuration record.
 *
 * @example
 * export interface EtagConfig { readonly weak: boolean }
 * export const EtagConfig: ConfigRecord<EtagConfig> = configRecord("EtagConfig", { weak: flag(true) });
 */
export const configRecord = <T extends object>(
  name: string,
  rules: { readonly [K in keyof T]-?: FieldRule<T[K]> },
): ConfigRecord<T> => {
  const keys = Object.keys(rules) as (keyof T & string)[];
  const read = (record: ConfigInput<T> = {}): ReadResult<T> => {
    const isRecord = isPlainObject(record);
    const input = isRecord ? record : {};
    const problems = isRecord ? unknownFields(name, input, keys) : [notARecord(name, record, rules)];
    const value = Object.create(null) as T;
    for (const key of keys) {
      const given = (input as Partial<T>)[key];
      const problem = given === undefined ? null : rules[key].problem(given);
      if (problem !== null)
        problems.push(`${name}.${key} ${problem}${invalidValueSuffix(key, given, rules[key])}`);
      value[key] = given === undefined || problem !== null ? rules[key].default : (given as T[typeof key]);
    }
    return { value: Object.freeze(Object.assign({}, value)), problems };
  };
  const of = (input?: ConfigInput<T>): Readonly<T> => {
    const { value, problems } = read(input);
    if (problems.length === 0) return value;
    throw new ConfigurationError(problems.map((message) => ({ code: "CORE_BAD_CONFIG", message })));
  };
  return { name, read, of };
};

/**
 * Returns a problem for each given field that has no effect, such as the level of a compression that is not offered. A field with its default value is ignored,
 * since a record from `of` has all fields.
 *
 * @param needs their prerequisite; completes "has no effect without"
 */
export const unusedFields = <T extends object>(
  { name, read }: Pick<ConfigRecord<T>, "name" | "read">,
  input: ConfigInput<T> | undefined,
  fields: readonly (keyof T & string)[],
  needs: string,
): Problem[] => {
  const defaults = read().value;
  return fields
    .filter((field) => input?.[field] !== undefined && input[field] !== defaults[field])
    .map((field) => ({
      code: "CORE_BAD_CONFIG",
      message: `${name}.${field} has no effect without ${needs}: configure that, or remove the field`,
    }));
};

/** Returns a message for each field of `input` that is not among the known ones: a misspelt option would be ignored otherwise. */
export const unknownFields = (name: string, input: object, known: readonly string[]): string[] =>
  Object.keys(input)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const [near] = nearest(key, known);
      return `${name} has no field "${key}"${near === undefined ? "" : `; did you mean "${near}"?`}`;
    });

/** Returns the end of the message about a field, after its rule. */
const invalidValueSuffix = (
  key: string,
  given: unknown,
  { problem, isSecret, namesParts }: FieldRule<unknown>,
): string => {
  if (isSecret === true || (namesParts === true && typeof given === "object")) return "";
  return `, but ${invalidPart(key, given, problem)}`;
};

/** Returns the message about a value that is not a record, such as the bare value of its first field. */
const notARecord = (
  name: string,
  given: unknown,
  rules: Readonly<Record<string, FieldRule<unknown>>>,
): string => {
  const hasSecrets = Object.values(rules).some(({ isSecret }) => isSecret === true);
  const actual =
    hasSecrets && (typeof given === "string" || Array.isArray(given))
      ? "another value"
      : describeValue(given);
  const [first] = Object.keys(rules);
  const isFirst = first !== undefined && given !== null && rules[first]?.problem(given) === null;
  const remedy = isFirst ? `; pass it as a field: { ${first}: … }` : "";
  return `${name} must be an object with fields, but is ${actual}${remedy}`;
};
