import { estimate, type Estimate } from "../measure/statistics.ts";

/** An implementation to compare: `run` calls it `calls` times. */
export interface Way {
  readonly name: string;
  run(calls: number): Promise<unknown>;
}

/** Comparison of two implementations. */
export interface Compared {
  /** Calls of ours in the time of one bare call, by the clock: above 1 is faster. Made within one round. */
  readonly throughput: Estimate;
  /** The same by processor time of this process. */
  readonly processor: Estimate;
  /** Microseconds of one call, by the clock. */
  readonly ours: Estimate;
  readonly bare: Estimate;
}

/** Comparison of two implementations in this process. */
export interface ComparedHere extends Compared {
  /** Microseconds of processor time that one call of ours takes more than a bare one. */
  readonly extra: Estimate;
}

interface Spent {
  readonly wall: number;
  readonly processor: number;
}

const WARM_UP = 15;

/** Microseconds of one call. */
const slice = async (way: Way, calls: number): Promise<Spent> => {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await way.run(calls);
  const wall = ((performance.now() - start) * 1000) / calls;
  const { user, system } = process.cpuUsage(cpu);
  return { wall, processor: (user + system) / calls };
};

/** Measures two implementations in turns, in reverse order each round, so that noise affects both. */
export const compareWays = async (
  ours: Way,
  bare: Way,
  { calls, rounds }: { readonly calls: number; readonly rounds: number },
): Promise<ComparedHere> => {
  const taken: { readonly ours: Spent; readonly bare: Spent }[] = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    const oursFirst = round % 2 === 0;
    const first = await slice(oursFirst ? ours : bare, calls);
    const second = await slice(oursFirst ? bare : ours, calls);
    if (round >= 0) taken.push(oursFirst ? { ours: first, bare: second } : { ours: second, bare: first });
  }
  return {
    throughput: estimate(taken.map((one) => one.bare.wall / one.ours.wall)),
    processor: estimate(taken.map((one) => one.bare.processor / one.ours.processor)),
    ours: estimate(taken.map((one) => one.ours.wall)),
    bare: estimate(taken.map((one) => one.bare.wall)),
    extra: estimate(taken.map((one) => one.ours.processor - one.bare.processor)),
  };
};
