import { type Awaitable, FrameworkError, type StandardSchema, ValidationError } from "@framework/core";
import { isPromise, jsonWriter, validate } from "@framework/core/feature";

/**
 * Validates an input and returns the schema's output.
 *
 * @throws FrameworkError JOBS_BAD_INPUT with the first 5 issues; it is a mistake of the program, not a reply for a client
 */
export const validateInputAsync = async (
  name: string,
  schema: StandardSchema | undefined,
  input: unknown,
): Promise<unknown> => await validateInput(name, schema, input);

/** Like `validateInputAsync`, but synchronous if the schema is synchronous. */
export const validateInput = (
  name: string,
  schema: StandardSchema | undefined,
  input: unknown,
): Awaitable<unknown> => {
  if (schema === undefined) return input;
  const fail = (error: unknown): never => {
    throw error instanceof ValidationError ? badInput(name, error) : error;
  };
  try {
    const output = validate(schema, input, "input");
    return isPromise(output) ? output.catch(fail) : output;
  } catch (error) {
    return fail(error);
  }
};

/**
 * Returns an input after a JSON round trip, as the job will read it from the database.
 *
 * @throws FrameworkError JOBS_BAD_INPUT, with the path of the first value that JSON cannot represent, such as a `Map`, a `bigint` or `NaN`
 */
export const storedInput = (name: string, input: unknown): unknown => {
  if (input === undefined) return undefined;
  const write = jsonWriter(`jobs: the input of "${name}"`, {
    debug: true, // problems are thrown, not logged
    exact: true,
    log: { warn() {} },
    code: "JOBS_BAD_INPUT",
  });
  return JSON.parse(write(input)) as unknown;
};

const MAX_SHOWN = 5;

const badInput = (name: string, { issues }: ValidationError): FrameworkError => {
  const shown = issues.slice(0, MAX_SHOWN).map(({ loc, msg }) => `${loc.join(".")}: ${msg}`);
  return new FrameworkError("JOBS_BAD_INPUT", `jobs: the input of "${name}" is invalid: ${shown.join("; ")}`);
};
