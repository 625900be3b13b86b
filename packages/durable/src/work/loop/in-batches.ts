/** Most batches of items that one look wakes, takes over or blocks. */
export const MAX_BATCHES = 20;

/** Items of such a batch: a smaller one was the last. */
const BATCH = 1000;

/** Takes items batch by batch, up to 20,000; returns their queues. */
export const inBatches = async (take: () => Promise<readonly string[]>): Promise<readonly string[]> => {
  const taken: string[] = [];
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const queues = await take();
    taken.push(...queues);
    if (queues.length < BATCH) break;
  }
  return taken;
};
