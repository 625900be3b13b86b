const shown = new WeakSet<object>();

/** Marks an error that the program's own code threw. */
export const noteShown = (error: unknown): void => {
  if (typeof error === "object" && error !== null) shown.add(error);
};

/** Marks an error that the program's own code threw, and throws it. */
export const markShown = (error: unknown): never => {
  noteShown(error);
  throw error;
};

/**
 * Marks an error that the program's own code returns, now or later, alone or as an item of a list: GraphQL throws it. Errors in the conversion of a value, such as
 * to the output of a scalar, stay unmarked.
 */
export const noteReturned = (value: unknown): void => {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) for (const item of value) noteItem(item);
  else noteItem(value);
};

const noteItem = (value: unknown): void => {
  if (value instanceof Error) noteShown(value);
  else if (value instanceof Promise) value.then(noteReturned, noteShown); // runs before GraphQL's own handlers
};

/** Whether the program's own code threw the error. */
export const isShown = (error: object): boolean => shown.has(error);
