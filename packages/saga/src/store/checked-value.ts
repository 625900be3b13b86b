import { type StandardSchema, ValidationError } from "@framework/core";
import { validate } from "@framework/core/feature";
import { badValue } from "../errors/saga-errors.ts";
import { jsonValue } from "./json-value.ts";

const MAX_SHOWN = 5;

/**
 * Validates a value and returns the schema's output as JSON text; `null` for `undefined`.
 *
 * @throws SAGA_BAD_VALUE with the first five issues; a mistake of the program, not a reply for a client
 */
export const checkedValue = async (
  schema: StandardSchema | undefined,
  value: unknown,
  subject: string,
): Promise<string | null> => {
  if (schema === undefined) return jsonValue(value, subject);
  let checked: unknown;
  try {
    checked = await validate(schema, value, "input");
  } catch (error) {
    throw error instanceof ValidationError ? schemaMismatch(error, subject) : error;
  }
  return jsonValue(checked, subject);
};

const schemaMismatch = ({ issues }: ValidationError, subject: string): Error => {
  const shown = issues.slice(0, MAX_SHOWN).map(({ loc, msg }) => {
    const [, ...path] = loc;
    return path.length === 0 ? msg : `${path.join(".")}: ${msg}`;
  });
  return badValue(`${subject} does not match its schema: ${shown.join("; ")}`);
};
