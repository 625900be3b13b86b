import { FrameworkError } from "@framework/core";
import { returnedInstead } from "@framework/core/feature";

/**
 * Checks the text that a function of the program returned for a key. Any other value would be equal for all callers, such as a promise, which is {} in JSON.
 *
 * @param what the function, for the message
 * @throws CQRS_BAD_RETURN
 */
export const returnedText = (what: string, value: unknown): string => {
  if (typeof value === "string") return value;
  throw new FrameworkError(
    "CQRS_BAD_RETURN",
    `cqrs: ${what} must return a text, and returned ${returnedInstead(value)}`,
  );
};
