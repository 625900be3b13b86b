import { isPromise } from "@framework/core/feature";

/** Wraps a program's callback so that it never throws: its error, or the rejection of its promise, is passed to `failed`. */
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
