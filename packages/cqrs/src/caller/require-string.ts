import { FrameworkError } from "@framework/core";
import { describeInvalid } from "@framework/core/feature";

/**
 * Checks that a function of the program returned a string for a key. Another value could be equal for all callers, such as a promise, which is {} in JSON.
 *
 * @param subject the function, for the message
 * @throws CQRS_BAD_RETURN
 */
export const requireString = (subject: string, value: unknown): string => {
  if (typeof value === "string") return value;
  throw new FrameworkError(
    "CQRS_BAD_RETURN",
    `cqrs: ${subject} must return a string, not ${describeInvalid(value)}`,
  );
};
