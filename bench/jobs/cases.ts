import type { Contender } from "./contender.ts";
import { addInBatches, addSingly, drainQueue, measureStartLatency, runJobs } from "./measures.ts";

/** One comparison. */
export interface Case {
  readonly name: string;
  /** Higher is better for jobs per second, lower for milliseconds. */
  readonly unit: "jobs/s" | "ms";
  /** Measures a value for each table row. */
  readonly measure: (contender: Contender) => Promise<Readonly<Record<string, number>>>;
}

/** Numbers of concurrent jobs of a worker. */
const concurrencyLevels = [1, 10, 50, 500];

const addCase = (name: string, add: (contender: Contender) => Promise<number>): Case => ({
  name,
  unit: "jobs/s",
  async measure(contender) {
    const rate = await add(contender);
    await drainQueue(contender);
    return { [name]: rate };
  },
});

const workCase = (concurrency: number): Case => {
  const name = `work, ${concurrency} concurrent`;
  const jobs = Math.min(4000, 200 * concurrency);
  return {
    name,
    unit: "jobs/s",
    measure: async (contender) => ({ [name]: await runJobs(contender, jobs, concurrency) }),
  };
};

/** Throughput cases. */
export const throughput: readonly Case[] = [
  addCase("add, one caller", (contender) => addSingly(contender, 150, 1)),
  addCase("add, ten callers", (contender) => addSingly(contender, 600, 10)),
  addCase("add, batches of 1,000", (contender) => addInBatches(contender, 5000, 1000)),
  ...concurrencyLevels.map(workCase),
];

/** The time from adding a job to its start, without other work. */
export const latency: Case = {
  name: "start",
  unit: "ms",
  async measure(contender) {
    const { p50, p99 } = await measureStartLatency(contender, 100);
    return { "start, p50": p50, "start, p99": p99 };
  },
};
