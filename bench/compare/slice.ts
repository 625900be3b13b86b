import type { Shot } from "../load/shot.ts";
import { quantile } from "../measure/statistics.ts";
import type { Member } from "./fleet.ts";
import type { CpuTime } from "../measure/vitals-client.ts";
import type { Workload } from "../workloads/workloads.ts";

/** Cost of one slice. */
export interface Cost {
  /** CPU time of the server per request in microseconds, then its parts in user space and in the kernel. */
  readonly cpuMicros: number;
  readonly userMicros: number;
  readonly kernelMicros: number;
  readonly requestsPerSecond: number;
  /** Milliseconds from write to last byte. */
  readonly p50: number;
  readonly p99: number;
}

/** Maximum attempts for a slice: a server may close idle connections just before they are reused. */
const ATTEMPTS = 4;

/** Sends exactly `requests` requests; a slice with a failed request is repeated. */
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
      let before: CpuTime = { userMicros: 0, kernelMicros: 0 };
      const { ms, latencies } = await load.run(shot, connections, requests, async () => {
        before = await vitals.cpu();
      });
      const after = await vitals.cpu();
      const sent = latencies.length * shot.depth;
      const userMicros = after.userMicros - before.userMicros;
      const kernelMicros = after.kernelMicros - before.kernelMicros;
      return {
        cpuMicros: (userMicros + kernelMicros) / sent,
        userMicros: userMicros / sent,
        kernelMicros: kernelMicros / sent,
        requestsPerSecond: (sent / ms) * 1000,
        p50: quantile(latencies, 0.5),
        p99: quantile(latencies, 0.99),
      };
    } catch (error) {
      failures.push(String(error));
      load.close();
    }
  }
  throw new Error(`${name}: ${ATTEMPTS} consecutive slices failed: ${failures.join("; ")}`);
};
