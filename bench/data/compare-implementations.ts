import { estimate, type Estimate } from "../measure/statistics.ts";

/** An implementation to compare: ours, or the bare library. */
export interface Implementation {
  readonly name: string;
  /** Makes `calls` calls. */
  run(calls: number): Promise<unknown>;
}

/** Comparison of two implementations. */
export interface Comparison {
  /** Time of a bare call divided by the time of our call, within one round: above 1, ours is faster. */
  readonly throughput: Estimate;
  /** The same for CPU time: of this process, or of the server if each implementation is a server of its own. */
  readonly processor: Estimate;
  /** Microseconds of one call, elapsed time. */
  readonly ours: Estimate;
  readonly bare: Estimate;
}

/** Comparison of two implementations in this process. */
export interface InProcessComparison extends Comparison {
  /** Additional processor time of one call of ours, in microseconds. */
  readonly extra: Estimate;
}

interface SliceTime {
  readonly wall: number;
  readonly processor: number;
}

const WARM_UP = 15;

/** Runs one slice; returns microseconds per call. */
const slice = async (implementation: Implementation, calls: number): Promise<SliceTime> => {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await implementation.run(calls);
  const wall = ((performance.now() - start) * 1000) / calls;
  const { user, system } = process.cpuUsage(cpu);
  return { wall, processor: (user + system) / calls };
};

/** Measures two implementations alternately, and swaps their order each round, so that noise affects both equally. */
export const compareImplementations = async (
  ours: Implementation,
  bare: Implementation,
  { calls, rounds }: { readonly calls: number; readonly rounds: number },
): Promise<InProcessComparison> => {
  const samples: { readonly ours: SliceTime; readonly bare: SliceTime }[] = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    const oursFirst = round % 2 === 0;
    const first = await slice(oursFirst ? ours : bare, calls);
    const second = await slice(oursFirst ? bare : ours, calls);
    if (round >= 0) samples.push(oursFirst ? { ours: first, bare: second } : { ours: second, bare: first });
  }
  return {
    throughput: estimate(samples.map((one) => one.bare.wall / one.ours.wall)),
    processor: estimate(samples.map((one) => one.bare.processor / one.ours.processor)),
    ours: estimate(samples.map((one) => one.ours.wall)),
    bare: estimate(samples.map((one) => one.bare.wall)),
    extra: estimate(samples.map((one) => one.ours.processor - one.bare.processor)),
  };
};
