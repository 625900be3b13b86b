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
const heldLevels = [1, 10, 50, 500];

const addCase = (name: string, add: (contender: Contender) => Promise<number>): Case => ({
  name,
  unit: "jobs/s",
  async measure(contender) {
    const rate = await add(contender);
    await drainQueue(contender);
    return { [name]: rate };
  },
});

const workCase = (held: number): Case => {
  const name = `work, ${held} concurrent`;
  const jobs = Math.min(4000, 200 * held);
  return {
    name,
    unit: "jobs/s",
    measure: async (contender) => ({ [name]: await runJobs(contender, jobs, held) }),
  };
};

/** Throughput cases. */
export const throughput: readonly Case[] = [
  addCase("add, one caller", (to) => addSingly(to, 150, 1)),
  addCase("add, ten callers", (to) => addSingly(to, 600, 10)),
  addCase("add, batches of 1,000", (to) => addInBatches(to, 5000, 1000)),
  ...heldLevels.map(workCase),
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
