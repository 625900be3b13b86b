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
    cpuMicros: over(rounds, server, (cost) => cost.cpuMicros),
    userMicros: over(rounds, server, (cost) => cost.userMicros),
    kernelMicros: over(rounds, server, (cost) => cost.kernelMicros),
    ratioToRaw: quotient(rounds, "raw", server, (cost) => cost.cpuMicros),
    ratioToTuned: quotient(rounds, "tuned", server, (cost) => cost.cpuMicros),
    ratioOfFast: quotient(rounds, server, "fast", (cost) => cost.cpuMicros),
    requestsPerSecond: over(rounds, server, (cost) => cost.requestsPerSecond),
    p50Ms: over(rounds, server, (cost) => cost.p50),
    p99Ms: over(rounds, server, (cost) => cost.p99),
    p99ToRaw: quotient(rounds, server, "raw", (cost) => cost.p99),
  }));
};

const over = (rounds: readonly Round[], server: string, value: (cost: Cost) => number): Estimate =>
  estimate(rounds.map((round) => result(round, server, value)));

const quotient = (
  rounds: readonly Round[],
  numerator: string,
  denominator: string,
  value: (cost: Cost) => number,
): Estimate | null =>
  rounds.every((round) => round.has(numerator) && round.has(denominator))
    ? estimate(rounds.map((round) => result(round, numerator, value) / result(round, denominator, value)))
    : null;

const result = (round: Round, server: string, value: (cost: Cost) => number): number => {
  const cost = round.get(server);
  return cost === undefined ? NaN : value(cost);
};
