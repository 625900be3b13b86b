import type { Estimate } from "../measure/statistics.ts";
import { contenders } from "./contenders.ts";
import type { Cell } from "./report.ts";
import { workloads } from "../workloads/workloads.ts";

/** The peer with the least CPU time for one workload. */
export interface BestPeer {
  readonly server: string;
  /** Its CPU time divided by the CPU time of the framework on its fast transport. */
  readonly ratio: Estimate;
}

const peers = new Set(
  contenders.filter(({ package: dependency }) => dependency !== undefined).map(({ name }) => name),
);

const equalsOf = (workload: string): readonly string[] | undefined =>
  workloads.find(({ name }) => name === workload)?.equals;

/** Finds the peer with the least CPU time for the same work; null where no peer was measured. */
export const bestPeer = (cells: readonly Cell[], workload: string): BestPeer | null => {
  let best: BestPeer | null = null;
  const equals = equalsOf(workload);
  for (const { workload: name, server, ratioOfFast: ratio } of cells) {
    if (name !== workload || ratio === null || !peers.has(server)) continue;
    if (equals?.includes(server) === false) continue;
    if (best === null || ratio.median < best.ratio.median) best = { server, ratio };
  }
  return best;
};
