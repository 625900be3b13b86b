import type { Estimate } from "../measure/statistics.ts";

/** Results of one server for one workload. Ratios are computed within a round; above 1 is better than the baseline, except for `p99ToRaw`. */
export interface Cell {
  readonly workload: string;
  readonly server: string;
  /** CPU time of the server per request, in microseconds. */
  readonly cpuMicros: Estimate;
  /** CPU time in user space, and in the kernel. */
  readonly userMicros: Estimate;
  readonly kernelMicros: Estimate;
  /** CPU time of raw divided by this server's; null where raw was not measured. */
  readonly ratioToRaw: Estimate | null;
  readonly ratioToTuned: Estimate | null;
  /** CPU time of this server divided by the CPU time of the framework on its fast transport: above 1 the framework is cheaper. */
  readonly ratioOfFast: Estimate | null;
  readonly requestsPerSecond: Estimate;
  readonly p50Ms: Estimate;
  readonly p99Ms: Estimate;
  /** This server's p99 divided by that of raw: below 1 is better. */
  readonly p99ToRaw: Estimate | null;
}

/** Resident memory of one server, after a garbage collection. */
export interface MemoryRow {
  readonly server: string;
  readonly startBytes: Estimate;
  readonly afterLoadBytes: Estimate;
  /** Bytes per idle keep-alive connection. */
  readonly idleConnectionBytes: Estimate;
}

/** Time of a program from its spawn to listening. */
export interface StartRow {
  readonly program: string;
  readonly ms: Estimate;
  readonly overBareMs: Estimate;
}

/** Time from the spawn of a service of four workers until all of them listen, in milliseconds. */
export interface ListeningRow {
  readonly booksMs: Estimate;
  readonly bareMs: Estimate;
  /** The service's time divided by that of bare Node in the same round. */
  readonly toBare: Estimate;
}

/** User-space instructions for one GET json: the median of several windows, with minimum and maximum. */
export interface InstructionRow {
  readonly server: string;
  readonly perRequest: Estimate;
}

/** A gate and whether it holds: `must` is required, `stretch` is a goal. */
export interface Gate {
  readonly name: string;
  /** The result; null when it was not measured. */
  readonly ratio: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly must: number;
  readonly stretch: number;
  /** `min`: the result must be at least `must`; `max`: at most. */
  readonly direction: "min" | "max";
  /** null where it was not measured. */
  readonly pass: boolean | null;
  readonly stretchPass: boolean | null;
}

/** Measurements, before gates are checked. */
export interface Measurements {
  readonly cells: readonly Cell[];
  readonly memory: readonly MemoryRow[];
  readonly starts: readonly StartRow[];
  readonly instructions: readonly InstructionRow[];
  /** null where it was not measured. */
  readonly listening: ListeningRow | null;
}

/** The machine of the measurement. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly system: string;
  /** Whether servers and client were pinned to different cores. */
  readonly pinned: boolean;
  /** Steal time as a share from 0 to 1; null when the system does not report it. */
  readonly steal: number | null;
}

/** All results of one run: `results/latest.json`, or `results/partial.json` for a quick or partial run. */
export interface Report extends Measurements {
  readonly date: string;
  readonly command: string;
  /** Whether it has fewer rounds and workloads: an estimate, not for publishing. */
  readonly quick: boolean;
  /** Whether flags excluded some servers or parts. */
  readonly partial: boolean;
  readonly seconds: number;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly rounds: number;
  /** Rounds of the main workloads. */
  readonly promisedRounds: number;
  /** Number of starts of all servers during these rounds. */
  readonly fleets: number;
  readonly warmUp: number;
  /** Warm-up requests of the workloads with a gate. */
  readonly gatedWarmUp: number;
  readonly gates: readonly Gate[];
}
