import type { Middleware } from "@framework/core";
import { validOutput } from "../definitions/valid-input.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { CommandAttempt } from "./command-run.ts";

/** Replaces the handler's value with the output of the result's schema, before the commit. @throws CQRS_BAD_OUTPUT */
export const validateOutput: Middleware<CommandAttempt, Outcome> = async function validateOutput(
  attempt,
  next,
) {
  const outcome = await next(attempt);
  if (!outcome.ok) return outcome;
  const { output, name } = attempt.run.operation;
  if (output === null) return { ...outcome, value: undefined };
  return { ...outcome, value: await validOutput(output, outcome.value, `command ${name}`) };
};
