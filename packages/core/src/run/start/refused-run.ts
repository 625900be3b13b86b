/** Where a program that imports the module of an app without running it, such as the command line, leaves a function. */
const refusal = Symbol.for("@framework/core/refuse-run"); // the same in all copies of core

/**
 * Reports to the program that imports this module that it calls `run`, and returns whether there is one. `run` must not serve then, nor end the process.
 */
export const isRunRefused = (): boolean => {
  const refuse: unknown = Reflect.get(globalThis, refusal);
  if (typeof refuse !== "function") return false;
  refuse();
  return true;
};
