import type { RunCommand } from "../frame/command.ts";
import { explainCode } from "./explain-code.ts";
import { explainRequest } from "./explain-request.ts";

/** Explains a request when there is a path, else an error code. */
export const explain: RunCommand = (given, context) =>
  given.argument("path") === undefined ? explainCode(given, context) : explainRequest(given, context);
