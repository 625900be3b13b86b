/**
 * Declares that a middleware waits for the promise that `next` returns at most once, and not within an `AsyncLocalStorage` of its own; returns it. It
 * returns that promise as it is, or converts its value with `mapOutput`.
 *
 * Levels of a chain that wait once share one reaction of the handler's promise, where each would take promises of its own.
 */
export const waitsOnce = <M extends object>(middleware: M): M => {
  waiting.add(middleware);
  return middleware;
};

/** Whether `waitsOnce` was called for a middleware. */
export const isWaitingOnce = (middleware: object): boolean => waiting.has(middleware);

const waiting = new WeakSet<object>();
