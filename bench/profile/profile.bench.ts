/**
 * Shows where the framework spends its time: one CPU profile for each main workload of the comparison, and the functions with most self time.
 *
 *   pnpm bench:profile [folder for the profiles]
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verify } from "../workloads/verify.ts";
import { type Workload, workloads } from "../workloads/workloads.ts";
import { Load } from "../load/load.ts";
import { printTable, printTitle } from "../measure/report.ts";
import { startServer } from "../measure/server.ts";
import { selfTimes } from "./cpu-profile.ts";

const REQUESTS = 200_000;
const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), "bench-profile-"));

const profile = async (workload: Workload): Promise<string> => {
  const name = `${workload.name}.cpuprofile`;
  const options = ["--cpu-prof", `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${name}`];
  const args = ["--transport=fast", ...(workload.scenario === "five" ? ["--five"] : [])];
  const server = await startServer("framework.ts", args, options);
  const load = new Load(server.port);
  const shot = await verify("framework", server.port, workload);
  await load.run(shot, workload.connections, REQUESTS);
  load.close();
  await server.program.stop();
  return join(folder, name);
};

printTitle(`Self time of functions over ${REQUESTS} requests of each kind, without the first third`);
for (const workload of workloads.filter(({ isMain }) => isMain)) {
  const functions = selfTimes(await profile(workload));
  const rows = functions
    .slice(0, 15)
    .map(({ name, share, caller }) => [`${(share * 100).toFixed(1)} %`, name, caller]);
  printTable([`${workload.title}: self time`, "function", "main caller"], rows);
}
console.log(`profiles in ${folder}`);
