import type { Shot } from "../load/shot.ts";
import { quantile } from "../measure/statistics.ts";
import type { Member } from "./fleet.ts";
import type { Workload } from "./workloads.ts";

/** What one slice cost. */
export interface Cost {
  /** Microseconds of the server's processor time for one request. */
  readonly cpuMicros: number;
  readonly requestsPerSecond: number;
  /** Milliseconds from write to last byte. */
  readonly p50: number;
  readonly p99: number;
}

/** Slices that may be void in a row: a server may close idle connections just when they are used again. */
const ATTEMPTS = 4;

/** Sends exactly `requests` requests; with one that failed the slice is void and is done again. */
export const slice = async (
  member: Member,
  { connections }: Workload,
  shot: Shot,
  requests: number,
): Promise<Cost> => {
  const { load, vitals, name } = member;
  const failures: string[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      let before = 0;
      const { ms, latencies } = await load.run(shot, connections, requests, async () => {
        before = await vitals.cpuMicros();
      });
      const cpu = (await vitals.cpuMicros()) - before;
      const sent = latencies.length * shot.depth;
      return {
        cpuMicros: cpu / sent,
        requestsPerSecond: (sent / ms) * 1000,
        p50: quantile(latencies, 0.5),
        p99: quantile(latencies, 0.99),
      };
    } catch (error) {
      failures.push(String(error));
      load.close();
    }
  }
  throw new Error(`${name}: ${ATTEMPTS} slices in a row were void: ${failures.join("; ")}`);
};
