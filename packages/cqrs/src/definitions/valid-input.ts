import { type Awaitable, type StandardSchema, ValidationError } from "@framework/core";
import { isPromise, type ListNames, validate, validateNamed } from "@framework/core/feature";
import { badOutput } from "../failures/command-errors.ts";

/** Returns where a member of an input comes from: `body`, `params`, `query`, or `input` for a call from code. */
export type PlaceOf = (member: string | number | undefined) => string;

/** An input before validation. */
export interface RawInput {
  readonly raw: unknown;
  /** Returns where a member of the input comes from, for messages. */
  readonly placeOf: PlaceOf;
  /** The members that are lists and may have come as a single value, as in the query of a URL. */
  readonly lists: ListNames;
}

/** Returns the schema's output for an input. @throws ValidationError 422, whose issues name the place of each member */
export const validInput = (schema: StandardSchema, { raw, placeOf, lists }: RawInput): Awaitable<unknown> => {
  const placed = (error: unknown): never => {
    if (!(error instanceof ValidationError)) throw error;
    throw new ValidationError(
      error.issues.map((issue) => ({ ...issue, loc: [placeOf(issue.loc[1]), ...issue.loc.slice(1)] })),
    );
  };
  try {
    const input = lists.isEmpty ? validate(schema, raw, "input") : validateNamed(schema, raw, "input", lists);
    return isPromise(input) ? input.catch(placed) : input;
  } catch (error) {
    return placed(error);
  }
};

/** Returns the schema's output for the return value of a handler. @throws CQRS_BAD_OUTPUT */
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
