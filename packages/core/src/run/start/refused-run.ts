/** Key of the global function by which a program, such as the CLI, imports an app's module without running it. */
const refusal = Symbol.for("@framework/core/refuse-run"); // the same in all copies of core

/**
 * Whether another program imports this module without running it; `run` must then neither serve nor end the process. Notifies that program that `run` was
 * called.
 */
export const isRunRefused = (): boolean => {
  const refuse: unknown = Reflect.get(globalThis, refusal);
  if (typeof refuse !== "function") return false;
  refuse();
  return true;
};
