import { FrameworkError } from "../../errors/framework-error.ts";
import { findUnwritable } from "./unwritable.ts";

/** Options of JSON text. */
export interface JsonOptions {
  /** Whether a `bigint` is written as an exact number; otherwise it is an error. @default false */
  readonly bigint?: boolean;
}

/**
 * Returns a value as JSON text; `toJSON` is called as usual.
 *
 * @throws CORE_BAD_REPLY with the path of a `bigint` or a cycle, such as `$.books[3].id`, for nesting too deep to write, and for a value
 * that JSON cannot express (`undefined`, a function, a symbol); the error of a getter or of `toJSON`
 */
export const toJsonText = (data: unknown, options?: JsonOptions): string =>
  writeJson(data, options?.bigint === true, badReply);

/** Returns a value as JSON text. @param fail creates the error for a value that cannot be written, from a problem such as `$.id is a bigint` */
export const writeJson = (
  data: unknown,
  bigint: boolean,
  fail: (problem: string, cause?: unknown) => Error,
): string => {
  let text: string | undefined;
  try {
    text = bigint ? JSON.stringify(data, exactBigints) : JSON.stringify(data);
  } catch (error) {
    const problem = findUnwritable(data, { bigint, deep: isRangeError(error) });
    throw problem === null ? error : fail(problem, error);
  }
  if (text === undefined) throw fail(`$ is ${data === undefined ? "undefined" : describe(data)}`);
  return text;
};

const describe = (data: unknown): string =>
  typeof data === "object" ? "an object whose toJSON returns nothing" : `a ${typeof data}`;

interface RawJson {
  rawJSON(text: string): unknown;
}

const exactBigints = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? (JSON as unknown as RawJson).rawJSON(String(value)) : value;

const isRangeError = (error: unknown): boolean => (error as { name?: unknown } | null)?.name === "RangeError";

const badReply = (problem: string, cause?: unknown): FrameworkError =>
  new FrameworkError(
    "CORE_BAD_REPLY",
    `a reply cannot be written as JSON: ${problem}`,
    cause === undefined ? undefined : { cause },
  );
