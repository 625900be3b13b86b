import { type Awaitable, type StandardSchema, ValidationError } from "@framework/core";
import { isPromise, type ListNames, validate, validateNamed } from "@framework/core/feature";
import { badOutput } from "../failures/command-errors.ts";

/** Returns the source of a member of an input: `body`, `params`, `query`, or `input` for a call from code. */
export type SourceOf = (member: string | number | undefined) => string;

/** An input before validation. */
export interface RawInput {
  readonly raw: unknown;
  /** Returns the source of a member of the input, for messages. */
  readonly sourceOf: SourceOf;
  /** Members that are lists, and may be given as a single value, as in the query of a URL. */
  readonly lists: ListNames;
}

/** Validates an input and returns the output of the schema. @throws ValidationError 422, whose issues name the source of each member */
export const validInput = (
  schema: StandardSchema,
  { raw, sourceOf, lists }: RawInput,
): Awaitable<unknown> => {
  const withSource = (error: unknown): never => {
    if (!(error instanceof ValidationError)) throw error;
    throw new ValidationError(
      error.issues.map((issue) => ({ ...issue, loc: [sourceOf(issue.loc[1]), ...issue.loc.slice(1)] })),
    );
  };
  try {
    const input = lists.isEmpty ? validate(schema, raw, "input") : validateNamed(schema, raw, "input", lists);
    return isPromise(input) ? input.catch(withSource) : input;
  } catch (error) {
    return withSource(error);
  }
};

/** Validates the return value of a handler and returns the output of the schema. @throws CQRS_BAD_OUTPUT */
export const validOutput = async (
  schema: StandardSchema,
  value: unknown,
  operation: string,
): Promise<unknown> => {
  try {
    return await validate(schema, value, "response");
  } catch (error) {
    throw error instanceof ValidationError ? badOutput(operation, error.issues) : error;
  }
};
