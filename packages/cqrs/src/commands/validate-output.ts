import type { Middleware } from "@framework/core";
import { storedJson } from "../definitions/stored-json.ts";
import { validOutput } from "../definitions/valid-input.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { CommandAttempt } from "./command-run.ts";

/**
 * Replaces the handler's value with the output of the result schema, before the commit.
 *
 * @throws CQRS_BAD_OUTPUT, also for a value that may be stored and that JSON cannot represent
 */
export const validateOutput: Middleware<CommandAttempt, Outcome> = async function validateOutput(
  attempt,
  next,
) {
  const outcome = await next(attempt);
  if (!outcome.ok) return outcome;
  const { output, name, idempotency, mode } = attempt.run.operation;
  if (output === null) return { ...outcome, value: undefined, json: null };
  const value = await validOutput(output, outcome.value, `command ${name}`);
  if (value === undefined) return { ...outcome, value, json: null }; // an optional result
  const isStored = idempotency !== "none" || mode === "queued"; // checked even if this call has no key
  const json = isStored ? storedJson(`the result of command ${name}`, value, "CQRS_BAD_OUTPUT") : null;
  return { ...outcome, value, json };
};
