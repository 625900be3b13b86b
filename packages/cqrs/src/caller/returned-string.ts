import { FrameworkError } from "@framework/core";
import { returnedInstead } from "@framework/core/feature";

/**
 * Checks that a function of the program returned a string for a key. Another value could be equal for all callers, such as a promise, which is {} in JSON.
 *
 * @param what the function, for the message
 * @throws CQRS_BAD_RETURN
 */
export const returnedString = (what: string, value: unknown): string => {
  if (typeof value === "string") return value;
  throw new FrameworkError(
    "CQRS_BAD_RETURN",
    `cqrs: ${what} must return a string, not ${returnedInstead(value)}`,
  );
};
