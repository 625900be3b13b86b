import { isPromise } from "@framework/core/feature";

/** Wraps a callback so that it never throws: its error, or the rejection of its promise, is passed to `onError`. */
export const guarded =
  <Inputs extends readonly unknown[]>(
    callback: (...inputs: Inputs) => void,
    onError: (error: unknown) => void,
  ): ((...inputs: Inputs) => void) =>
  (...inputs) => {
    try {
      const result: unknown = callback(...inputs);
      if (isPromise(result)) result.then(undefined, onError); // an async function is assignable to () => void
    } catch (error) {
      onError(error);
    }
  };
