/** Maximum number of batches of items that one poll wakes, takes over or blocks. */
export const MAX_BATCHES = 20;

/** Size of a batch; a smaller one is the last. */
const BATCH = 1000;

/** Calls `take` until a batch is not full, for at most 20,000 items. Returns their queues. */
export const inBatches = async (take: () => Promise<readonly string[]>): Promise<readonly string[]> => {
  const taken: string[] = [];
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const queues = await take();
    taken.push(...queues);
    if (queues.length < BATCH) break;
  }
  return taken;
};
