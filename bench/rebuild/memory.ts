/** Memory of this process in MiB while something runs: highest values of the first and the last quarter of the time. */
export interface MemorySeen {
  readonly heap: readonly [first: number, last: number];
  readonly resident: readonly [first: number, last: number];
}

const EVERY_MS = 50;
const MIB = 1024 * 1024;

/** Runs something and samples the memory of this process every 50 ms. */
export const watchMemory = async (run: () => Promise<unknown>): Promise<MemorySeen> => {
  const samples: NodeJS.MemoryUsage[] = [];
  const timer = setInterval(() => samples.push(process.memoryUsage()), EVERY_MS);
  await run();
  clearInterval(timer);
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const highest = (part: readonly NodeJS.MemoryUsage[], of: "heapUsed" | "rss"): number =>
    Math.round(Math.max(0, ...part.map((each) => each[of])) / MIB);
  const both = (of: "heapUsed" | "rss"): readonly [number, number] => [
    highest(samples.slice(0, quarter), of),
    highest(samples.slice(-quarter), of),
  ];
  return { heap: both("heapUsed"), resident: both("rss") };
};
