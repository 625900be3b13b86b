import { ConfigurationError } from "../errors/configuration-error.ts";
import { unknownFields } from "./config-record.ts";
import { describeValue } from "./wrong-value.ts";

/**
 * Returns the options of a call after checking that they are an object without unknown names: untyped programs can pass anything.
 *
 * @param names the names of all options
 * @throws ConfigurationError CORE_BAD_CONFIG
 */
export const requireOptions = <T extends object>(
  call: string,
  options: T,
  names: Readonly<Record<keyof T, true>>,
): T => {
  const problems =
    typeof options === "object" && options !== null
      ? unknownFields(`the options object of ${call}`, options, Object.keys(names))
      : [`${call} takes an object of options, not ${describeValue(options)}`];
  if (problems.length === 0) return options;
  throw new ConfigurationError(problems.map((message) => ({ code: "CORE_BAD_CONFIG", message })));
};
