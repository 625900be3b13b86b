import type { Contender } from "./contender.ts";
import { addInBatches, addSingly, empty, startLatency, work } from "./measures.ts";

/** One comparison. */
export interface Case {
  readonly name: string;
  /** Jobs in a second are better when there are more, milliseconds when there are fewer. */
  readonly unit: "jobs/s" | "ms";
  /** A value for each row of the table. */
  readonly measure: (contender: Contender) => Promise<Readonly<Record<string, number>>>;
}

/** Jobs that a worker holds at a time in the cases of work. */
const heldLevels = [1, 10, 50, 500];

const adding = (name: string, add: (contender: Contender) => Promise<number>): Case => ({
  name,
  unit: "jobs/s",
  async measure(contender) {
    const rate = await add(contender);
    await empty(contender);
    return { [name]: rate };
  },
});

const working = (held: number): Case => {
  const name = `work, ${held} at a time`;
  const jobs = Math.min(4000, 200 * held);
  return {
    name,
    unit: "jobs/s",
    measure: async (contender) => ({ [name]: await work(contender, jobs, held) }),
  };
};

/** Cases of throughput. */
export const throughput: readonly Case[] = [
  adding("add, one caller", (to) => addSingly(to, 150, 1)),
  adding("add, ten callers", (to) => addSingly(to, 600, 10)),
  adding("add, batches of 1,000", (to) => addInBatches(to, 5000, 1000)),
  ...heldLevels.map(working),
];

/** The time from the call that adds a job to its start, while nothing else is done. */
export const latency: Case = {
  name: "start",
  unit: "ms",
  async measure(contender) {
    const { p50, p99 } = await startLatency(contender, 100);
    return { "start, p50": p50, "start, p99": p99 };
  },
};
