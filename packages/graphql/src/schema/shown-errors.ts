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

/** Whether the program's own code threw the error. */
export const isShown = (error: object): boolean => shown.has(error);
