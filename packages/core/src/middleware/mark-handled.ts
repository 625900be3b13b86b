/**
 * Marks a promise as handled and returns it: awaiting it still rejects, but an unawaited rejection does not terminate the process. For promises that features
 * return to programs, which may drop them, for example when a handler returns early after a client's error.
 */
export const markHandled = <T>(promise: Promise<T>): Promise<T> => {
  promise.catch(ignore);
  return promise;
};

const ignore = (): void => {}; // a caller that awaits the returned promise gets the error
