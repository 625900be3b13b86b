/** Peak memory in the first and last quarter of a run. */
export interface MemoryPeaks {
  readonly heapMiB: readonly [first: number, last: number];
  readonly residentMiB: readonly [first: number, last: number];
}

const EVERY_MS = 50;
const MIB = 1024 * 1024;

/** Runs a function and samples the memory of this process every 50 ms. */
export const measureMemory = async (run: () => Promise<unknown>): Promise<MemoryPeaks> => {
  const samples: NodeJS.MemoryUsage[] = [];
  const timer = setInterval(() => samples.push(process.memoryUsage()), EVERY_MS);
  await run();
  clearInterval(timer);
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const maximum = (part: readonly NodeJS.MemoryUsage[], metric: "heapUsed" | "rss"): number =>
    Math.round(Math.max(0, ...part.map((each) => each[metric])) / MIB);
  const peaks = (metric: "heapUsed" | "rss"): readonly [number, number] => [
    maximum(samples.slice(0, quarter), metric),
    maximum(samples.slice(-quarter), metric),
  ];
  return { heapMiB: peaks("heapUsed"), residentMiB: peaks("rss") };
};
