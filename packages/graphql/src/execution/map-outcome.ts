import type { Awaitable } from "@framework/core";
import { isPromise } from "@framework/core/feature";

/** Continues with the outcome of `work`; synchronously if the work is synchronous. */
export const mapOutcome = <T, U>(
  work: () => Awaitable<T>,
  succeeded: (value: T) => U,
  failed: (error: unknown) => U,
): Awaitable<U> => {
  let value: Awaitable<T>;
  try {
    value = work();
  } catch (error) {
    return failed(error);
  }
  return isPromise(value) ? value.then(succeeded, failed) : succeeded(value);
};
