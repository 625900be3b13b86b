import { ConfigurationError } from "../errors/configuration-error.ts";
import { shown } from "./wrong-value.ts";

/**
 * Returns the options of a call after checking that they are an object: untyped programs can pass anything.
 *
 * @throws ConfigurationError CORE_BAD_CONFIG
 */
export const givenOptions = <T extends object>(call: string, options: T): T => {
  if (typeof options === "object" && options !== null) return options;
  const message = `${call} takes an object of options, not ${shown(options)}`;
  throw new ConfigurationError([{ code: "CORE_BAD_CONFIG", message }]);
};
