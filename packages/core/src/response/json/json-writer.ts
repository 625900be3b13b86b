import { FrameworkError } from "../../errors/framework-error.ts";
import { jsonInspector, type JsonReport } from "./json-inspector.ts";
import { writeJson } from "./json-text.ts";

/**
 * Creates a JSON writer for one kind of value in a program, such as the messages of a route.
 *
 * A value that JSON cannot express (a `bigint`, a cycle, `undefined` as the whole value) is an error with its path, such as `$.books[3].id`. In debug, a value that JSON loses (a
 * promise, a `Set`, a `Map`, an `Error`, a function and the like) is also an error. Otherwise JSON writes it as usual, and the first loss is logged as a
 * warning; the first 100 values are inspected, then every 100th. With `exact`, values that JSON writes as `null` count as lost.
 *
 * @param subject the start of each message, such as `a message of /chat`
 * @param report options of the reports, such as the settings of an app
 * @throws FrameworkError with the report's code, from the writer; errors of getters and of `toJSON` unchanged
 */
export const jsonWriter = (subject: string, report: JsonReport): ((value: unknown) => string) => {
  const { code = "CORE_BAD_REPLY" } = report;
  const inspect = jsonInspector(subject, report);
  const fail = (problem: string, cause?: unknown): FrameworkError =>
    new FrameworkError(
      code,
      `${subject} cannot be written as JSON: ${problem}`,
      cause === undefined ? undefined : { cause },
    );
  return (value) => {
    const text = writeJson(value, false, fail);
    inspect(value);
    return text;
  };
};
