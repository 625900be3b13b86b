import { type Estimate, estimate } from "../measure/statistics.ts";
import type { Cell } from "./report.ts";
import type { Round } from "./rounds.ts";
import type { Cost } from "./slice.ts";

/** Returns the results of one workload; ratios are computed within each round. */
export const cellsOf = (workload: string, rounds: readonly Round[]): Cell[] => {
  const servers = [...(rounds[0]?.keys() ?? [])];
  return servers.map((server) => ({
    workload,
    server,
    cpuMicros: estimateOf(rounds, server, (cost) => cost.cpuMicros),
    userMicros: estimateOf(rounds, server, (cost) => cost.userMicros),
    kernelMicros: estimateOf(rounds, server, (cost) => cost.kernelMicros),
    ratioToRaw: ratioOf(rounds, "raw", server, (cost) => cost.cpuMicros),
    ratioToTuned: ratioOf(rounds, "tuned", server, (cost) => cost.cpuMicros),
    ratioOfFast: ratioOf(rounds, server, "fast", (cost) => cost.cpuMicros),
    requestsPerSecond: estimateOf(rounds, server, (cost) => cost.requestsPerSecond),
    p50Ms: estimateOf(rounds, server, (cost) => cost.p50),
    p99Ms: estimateOf(rounds, server, (cost) => cost.p99),
    p99ToRaw: ratioOf(rounds, server, "raw", (cost) => cost.p99),
  }));
};

const estimateOf = (rounds: readonly Round[], server: string, value: (cost: Cost) => number): Estimate =>
  estimate(rounds.map((round) => valueOf(round, server, value)));

const ratioOf = (
  rounds: readonly Round[],
  numerator: string,
  denominator: string,
  value: (cost: Cost) => number,
): Estimate | null =>
  rounds.every((round) => round.has(numerator) && round.has(denominator))
    ? estimate(rounds.map((round) => valueOf(round, numerator, value) / valueOf(round, denominator, value)))
    : null;

const valueOf = (round: Round, server: string, value: (cost: Cost) => number): number => {
  const cost = round.get(server);
  return cost === undefined ? NaN : value(cost);
};
