import { startCounted } from "../instructions/callgrind.ts";
import { Http2Load } from "./http2-load.ts";
import type { Http2Workload } from "./http2-workloads.ts";

/** How much is sent. */
const WARM_UP = 6400;
const WINDOWS = 7;
const REQUESTS = 512;

/** User-space instructions of a server for one request of each workload: the cheapest of several windows, all workloads warm before. */
export const countRequests = async (
  file: string,
  workloads: readonly Http2Workload[],
  connections: number,
  atOnce: number,
): Promise<readonly number[]> => {
  await using server = await startCounted(file, []);
  using load = new Http2Load(server.port, connections);
  for (const workload of [...workloads, ...workloads]) await load.runInWaves(workload, WARM_UP, atOnce);
  const counts: number[] = [];
  for (const workload of workloads) {
    const windows: number[] = [];
    await load.runInWaves(workload, WARM_UP, atOnce);
    await server.counting(async () => {
      for (let window = -1; window < WINDOWS; window++) {
        await load.runInWaves(workload, REQUESTS, atOnce);
        const { instructions } = await server.taken();
        if (window >= 0) windows.push(instructions / REQUESTS);
      }
    });
    counts.push(Math.min(...windows));
  }
  return counts;
};
