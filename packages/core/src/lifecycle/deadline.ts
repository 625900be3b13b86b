/** Whether a promise is still pending after `ms`. */
export const isLate = async (done: Promise<unknown>, ms: number): Promise<boolean> => {
  const { promise: expired, resolve } = Promise.withResolvers<true>();
  const timer = setTimeout(resolve, ms, true);
  try {
    return await Promise.race([done.then(() => false), expired]);
  } finally {
    clearTimeout(timer);
  }
};
