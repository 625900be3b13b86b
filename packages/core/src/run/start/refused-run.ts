/** Key of the global function that a program, such as the CLI, sets to import an app's module without running the app. */
const refusal = Symbol.for("@framework/core/refuse-run"); // the same in all copies of core

/**
 * Notifies a program that imports this module without running it that `run` was called. Returns whether there is such a program; `run` must then neither
 * serve nor end the process.
 */
export const notifyImporter = (): boolean => {
  const refuse: unknown = Reflect.get(globalThis, refusal);
  if (typeof refuse !== "function") return false;
  refuse();
  return true;
};
