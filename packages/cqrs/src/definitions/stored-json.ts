import { jsonWriter } from "@framework/core/feature";

/**
 * Serialises a value for storage. A value that JSON cannot represent, such as a `Map`, a `bigint` or `NaN`, is refused with its path.
 *
 * @param what the start of the message, such as `the result of command Pay`
 * @throws FrameworkError with the code
 */
export const storedJson = (
  what: string,
  value: unknown,
  code: "CQRS_BAD_INPUT" | "CQRS_BAD_OUTPUT",
): string => jsonWriter(`cqrs: ${what}`, { debug: true, exact: true, log: silent, code })(value);

const silent = { warn() {} }; // not used: with `debug`, a loss is an error
