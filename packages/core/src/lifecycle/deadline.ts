/** Waits for a promise, at most `ms` milliseconds. Resolves to whether it is still pending then. */
export const timesOut = async (done: Promise<unknown>, ms: number): Promise<boolean> => {
  const { promise: expired, resolve } = Promise.withResolvers<true>();
  const timer = setTimeout(resolve, ms, true);
  try {
    return await Promise.race([done.then(() => false), expired]);
  } finally {
    clearTimeout(timer);
  }
};
