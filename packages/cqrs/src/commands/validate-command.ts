import type { Middleware } from "@framework/core";
import { mapAwaitable } from "@framework/core/feature";
import { validInput, validOutput } from "../definitions/valid-input.ts";
import type { CommandAttempt, CommandOutcome, CommandRun } from "./command-run.ts";

/** Replaces the input with the output of its schema. @throws ValidationError 422 */
export const validateInput: Middleware<CommandRun, CommandOutcome> = function validateInput(run, next) {
  const { command, call } = run;
  return mapAwaitable(validInput(command.input, call.raw, call.placeOf), (input) => {
    run.input = input;
    return next(run);
  });
};

/** Replaces the handler's value with the output of the result's schema, before the commit. @throws CQRS_BAD_OUTPUT */
export const validateOutput: Middleware<CommandAttempt, CommandOutcome> = async function validateOutput(
  attempt,
  next,
) {
  const outcome = await next(attempt);
  if (!outcome.ok) return outcome;
  const { output, name } = attempt.run.command;
  if (output === null) return { ...outcome, value: undefined };
  return { ...outcome, value: await validOutput(output, outcome.value, `command ${name}`) };
};
