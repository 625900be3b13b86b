import { ValidationError, type ValidationIssue } from "../errors/http-errors.ts";
import { type Awaitable, isPromise } from "../middleware/middleware.ts";
import type { StandardResult, StandardSchema } from "./standard-schema.ts";
import { toValidationIssues } from "./validation-issues.ts";

/** The origin of a value; first part of every `loc`. `input` is the origin in work without a request, such as a command. */
export type ValidationPlace = "params" | "query" | "body" | "response" | "input";

/**
 * Returns the schema's output for `value`, synchronously if the schema is synchronous; otherwise a native promise.
 *
 * An error thrown by the validator passes through: it is a bug in the program, not a client error.
 *
 * @throws ValidationError 422 with an entry for each of the first 100 issues
 */
export const validate = <Output>(
  schema: StandardSchema<unknown, Output>,
  value: unknown,
  place: ValidationPlace,
): Awaitable<Output> => {
  const result = schema["~standard"].validate(value);
  return isPromise(result)
    ? Promise.resolve(result).then((settled) => outputOf(settled, value, place))
    : outputOf(result, value, place);
};

/** The outcome of a validation that does not throw: the output, or the first 100 issues. */
export interface ValidationOutcome {
  readonly output: unknown;
  /** Empty for a valid value. */
  readonly issues: readonly ValidationIssue[];
}

/** Returns the schema's output for `value`, or its issues. */
export const resultOf = (
  schema: StandardSchema,
  value: unknown,
  place: ValidationPlace,
): Awaitable<ValidationOutcome> => {
  const result = schema["~standard"].validate(value);
  return isPromise(result)
    ? Promise.resolve(result).then((settled) => outcomeOf(settled, value, place))
    : outcomeOf(result, value, place);
};

/** Returns the output of a result. @throws ValidationError 422 with an entry for each of the first 100 issues */
export const outputOf = <Output>(
  result: StandardResult<Output>,
  value: unknown,
  place: ValidationPlace,
): Output => {
  if (result.issues === undefined) return result.value;
  throw new ValidationError(toValidationIssues(result.issues, value, place));
};

const outcomeOf = (
  result: StandardResult<unknown>,
  value: unknown,
  place: ValidationPlace,
): ValidationOutcome =>
  result.issues === undefined
    ? { output: result.value, issues: none }
    : { output: undefined, issues: toValidationIssues(result.issues, value, place) };

const none: readonly ValidationIssue[] = Object.freeze([]);
