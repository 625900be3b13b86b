import { startCounted } from "../instructions/callgrind.ts";
import { Http2Load } from "./http2-load.ts";
import type { Http2Workload } from "./http2-workloads.ts";

/** Requests before the first window. */
const WARM_UP = 6400;
const WINDOWS = 7;
const REQUESTS = 512;

/** Counts the user-space instructions of a server per request of each workload: the cheapest of several windows, after a warm-up of all workloads. */
export const countRequests = async (
  file: string,
  workloads: readonly Http2Workload[],
  connections: number,
  concurrency: number,
): Promise<readonly number[]> => {
  await using server = await startCounted(file, []);
  using load = new Http2Load(server.port, connections);
  for (const workload of [...workloads, ...workloads]) await load.runInWaves(workload, WARM_UP, concurrency);
  const counts: number[] = [];
  for (const workload of workloads) {
    const windows: number[] = [];
    await load.runInWaves(workload, WARM_UP, concurrency);
    await server.whileCounting(async () => {
      for (let window = -1; window < WINDOWS; window++) {
        await load.runInWaves(workload, REQUESTS, concurrency);
        const { instructions } = await server.takeCounts();
        if (window >= 0) windows.push(instructions / REQUESTS);
      }
    });
    counts.push(Math.min(...windows));
  }
  return counts;
};
