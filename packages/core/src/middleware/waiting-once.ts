/**
 * Declares that a middleware awaits the promise that `next` returns at most once, and not in its own `AsyncLocalStorage` context. The middleware must return
 * that promise unchanged, or convert its value with `mapOutput`. Returns the middleware.
 *
 * Levels of a chain that wait once share one reaction of the handler's promise; otherwise each level creates its own promises.
 */
export const waitsOnce = <M extends object>(middleware: M): M => {
  waiting.add(middleware);
  return middleware;
};

/** Whether `waitsOnce` was called for a middleware. */
export const isWaitingOnce = (middleware: object): boolean => waiting.has(middleware);

const waiting = new WeakSet<object>();
