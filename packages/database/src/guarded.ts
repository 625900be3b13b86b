import { isPromise } from "@framework/core/feature";

/** A callback of a program that does not throw: its error, or that of its promise, goes to `failed`. */
export const guarded =
  <Inputs extends readonly unknown[]>(
    callback: (...inputs: Inputs) => void,
    failed: (error: unknown) => void,
  ): ((...inputs: Inputs) => void) =>
  (...inputs) => {
    try {
      const result: unknown = callback(...inputs);
      if (isPromise(result)) result.then(undefined, failed); // an async function is assignable to () => void
    } catch (error) {
      failed(error);
    }
  };
