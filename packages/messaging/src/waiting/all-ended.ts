/** Waits until all promises have ended, unlike `Promise.all`, which rejects at the first failure. @throws the first failure */
export const allEnded = async (promises: Iterable<Promise<unknown>>): Promise<void> => {
  const results = await Promise.allSettled(promises);
  const failed = results.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
};
