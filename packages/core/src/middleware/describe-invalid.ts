import { markHandled } from "./mark-handled.ts";
import { isPromise } from "./middleware.ts";

/**
 * Describes an invalid argument, or an invalid return value of a function of the program, for an error message: "a promise; return the value itself", "NaN",
 * "a value of type object". An invalid value must not become part of a key, where it would be equal for all callers: a promise is `{}` in JSON. If the value is a
 * promise, its rejection is ignored, since it would end the process.
 */
export const describeInvalid = (value: unknown): string => {
  if (isPromise(value)) {
    void markHandled(Promise.resolve(value));
    return "a promise; return the value itself";
  }
  if (value === null || value === undefined || typeof value === "number") return String(value);
  return value === "" ? "an empty string" : `a value of type ${typeof value}`;
};
