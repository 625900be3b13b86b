import type { RunCommand } from "../frame/command.ts";
import { explainCode } from "./explain-code.ts";
import { UsageError } from "../frame/usage-error.ts";
import { explainRequest } from "./explain-request.ts";

/** HTTP methods, which are not error codes. */
const METHODS = /^(?:get|head|post|put|patch|delete|options|query)$/i;

/** Explains a request if a path is given, else an error code. */
export const explain: RunCommand = (given, context) => {
  if (given.argument("path") !== undefined) return explainRequest(given, context);
  const subject = given.argument("subject");
  if (subject !== undefined && METHODS.test(subject))
    throw new UsageError(`explain ${subject} needs the path of a request, such as /books/1`);
  return explainCode(given, context);
};
