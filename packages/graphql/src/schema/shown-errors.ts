const shownErrors = new WeakSet<object>();

/** Marks an error that application code threw. */
export const markShown = (error: unknown): void => {
  if (typeof error === "object" && error !== null) shownErrors.add(error);
};

/** Marks an error that application code threw, and throws it. */
export const throwShown = (error: unknown): never => {
  markShown(error);
  throw error;
};

/**
 * Marks errors that application code returns, directly or as items of a list, and also from promises: GraphQL throws them. Errors in the conversion of
 * a value, such as the output of a scalar, stay unmarked.
 */
export const markReturned = (value: unknown): void => {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) for (const item of value) markItem(item);
  else markItem(value);
};

const markItem = (value: unknown): void => {
  if (value instanceof Error) markShown(value);
  else if (value instanceof Promise) value.then(markReturned, markShown); // runs before GraphQL's own handlers
};

/** Whether application code threw or returned the error. */
export const isShown = (error: object): boolean => shownErrors.has(error);
