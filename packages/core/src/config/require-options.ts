import { ConfigurationError } from "../errors/configuration-error.ts";
import { describeValue } from "./wrong-value.ts";

/**
 * Returns the options of a call after checking that they are an object: untyped programs can pass anything.
 *
 * @throws ConfigurationError CORE_BAD_CONFIG
 */
export const requireOptions = <T extends object>(call: string, options: T): T => {
  if (typeof options === "object" && options !== null) return options;
  const message = `${call} takes an object of options, not ${describeValue(options)}`;
  throw new ConfigurationError([{ code: "CORE_BAD_CONFIG", message }]);
};
