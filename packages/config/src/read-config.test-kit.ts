import { ConfigurationError } from "@framework/core";
import { type ConfigOf, type ConfigShape, readConfig, type ReadConfigOptions } from "./index.ts";

/** Returns the problems of reading a shape as `CODE: message`; empty if it succeeds. */
export const problemsOf = <S extends ConfigShape>(shape: S, options: ReadConfigOptions<S>): string[] => {
  try {
    readConfig(shape, options);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.map(({ code, message }) => `${code}: ${message}`);
  }
};

/** Reads a shape only from these variables. */
export const read = <const S extends ConfigShape>(shape: S, env: Record<string, string> = {}): ConfigOf<S> =>
  readConfig(shape, { env });
