/**
 * Marks a promise as handled and returns it: its rejection reaches whoever awaits it, and a program that never does is not ended by it. For promises that
 * features return to programs, which may drop them, for example when a handler returns early after a client's error.
 */
export const handled = <T>(promise: Promise<T>): Promise<T> => {
  promise.catch(ignored);
  return promise;
};

const ignored = (): void => {}; // the promise that was handed out carries the error
