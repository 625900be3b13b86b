/**
 * Marks a promise as handled and returns it: whoever awaits it gets its rejection, and a program that never does is not ended by it. For promises that a
 * program gets from a feature and may drop, as when a handler returns before it needs a value that a client made fail.
 */
export const handled = <T>(promise: Promise<T>): Promise<T> => {
  promise.catch(ignored);
  return promise;
};

const ignored = (): void => {}; // the promise that was handed out carries the error
