import { FrameworkError } from "../errors/framework-error.ts";
import { findUnwritable } from "./unwritable.ts";

/** Options of JSON text. */
export interface JsonOptions {
  /** Writes a `bigint` as an exact number instead of refusing it. @default false */
  readonly bigint?: boolean;
}

/**
 * A value as JSON text; `toJSON` is honoured.
 *
 * @throws CORE_BAD_REPLY with the path of a `bigint` or a cycle, such as `$.books[3].id`, for nesting too deep to write, and for a value
 * that JSON cannot express (`undefined`, a function, a symbol). Errors of a getter or of `toJSON` are passed on.
 */
export const toJsonText = (data: unknown, options?: JsonOptions): string => {
  let text: string | undefined;
  try {
    text = options?.bigint === true ? JSON.stringify(data, exactBigints) : JSON.stringify(data);
  } catch (error) {
    throw explained(data, error, options?.bigint === true);
  }
  if (text === undefined) throw badReply(`$ is ${data === undefined ? "undefined" : describe(data)}`);
  return text;
};

const describe = (data: unknown): string =>
  typeof data === "object" ? "an object whose toJSON returns nothing" : `a ${typeof data}`;

interface RawJson {
  rawJSON(text: string): unknown;
}

const exactBigints = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? (JSON as unknown as RawJson).rawJSON(String(value)) : value;

const explained = (data: unknown, error: unknown, bigint: boolean): unknown => {
  const problem = findUnwritable(data, { bigint, deep: isRangeError(error) });
  return problem === null ? error : badReply(problem, error);
};

const isRangeError = (error: unknown): boolean => (error as { name?: unknown } | null)?.name === "RangeError";

const badReply = (problem: string, cause?: unknown): FrameworkError =>
  new FrameworkError(
    "CORE_BAD_REPLY",
    `a reply cannot be written as JSON: ${problem}`,
    cause === undefined ? undefined : { cause },
  );
