import { inspect } from "node:util";
import type { InferOutput, StandardSchema } from "@framework/core";
import { isPromise, messageOf } from "@framework/core/feature";
import { type Parsed, type Setting, setting, type SettingOptions, type SettingRules } from "./setting.ts";

/** Options of `checked`. */
export interface CheckedOptions<T> extends SettingOptions<T> {
  /** The accepted values as a noun, in the table and when the variable is missing. @default "a value that its schema accepts" */
  readonly expected?: string;
}

/**
 * A setting whose value is the output of a Standard Schema (zod, valibot, arktype) for the variable's text.
 *
 * The schema must be synchronous. Its messages are printed: use `secret` for secrets. A default is the schema's output.
 */
export const checked = <S extends StandardSchema>(
  name: string,
  schema: S,
  options: CheckedOptions<InferOutput<S>> = {},
): Setting<InferOutput<S>> => {
  const { expected = "a value that its schema accepts" } = options;
  const rules: SettingRules<InferOutput<S>> = {
    ...options,
    expected,
    isDefaultOutput: true,
    textOf: textOfOutput,
    parse: (text) => validateText<InferOutput<S>>(schema, text),
  };
  return setting(name, rules, ["expected"]);
};

/** Returns an output of a schema as text for documents; it may have values that JSON cannot represent, such as a bigint. */
const textOfOutput = <T>(value: T): string => {
  if (typeof value !== "object") return String(value);
  try {
    return JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? String(each) : each));
  } catch {
    return inspect(value, { breakLength: Infinity }); // a circular object
  }
};

/** Some schemas, such as zod's, return a promise when a transform or check throws. */
const NOT_SYNCHRONOUS =
  "must pass its schema, which is asynchronous or threw (use a synchronous one that reports mistakes as issues)";

const validateText = <T>(schema: StandardSchema, text: string): Parsed<T> => {
  let result;
  try {
    result = schema["~standard"].validate(text);
  } catch (error) {
    return { problem: `must pass its schema, which threw: ${messageOf(error)}` };
  }
  if (isPromise(result)) {
    result.then(undefined, () => {}); // the problem names both causes; an unhandled rejection would end the process
    return { problem: NOT_SYNCHRONOUS };
  }
  if (result.issues === undefined) return { value: result.value as T }; // guaranteed by the schema
  return { problem: `must pass its schema (${result.issues.map(({ message }) => message).join("; ")})` };
};
