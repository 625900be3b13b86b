import { jsonWriter } from "@framework/core/feature";

/**
 * Serialises a value for storage. A value that JSON cannot represent, such as a `Map`, a `bigint` or `NaN`, is refused with its path.
 *
 * @param subject the start of the message, such as `the result of command Pay`
 * @throws FrameworkError with the given code
 */
export const storedJson = (
  subject: string,
  value: unknown,
  code: "CQRS_BAD_INPUT" | "CQRS_BAD_OUTPUT",
): string => jsonWriter(`cqrs: ${subject}`, { debug: true, exact: true, log: silent, code })(value);

const silent = { warn() {} }; // never called: with `debug`, a value that JSON would lose is an error
