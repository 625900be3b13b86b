/**
 * Shows where the framework spends its time: one CPU profile for each request of the ratio, and the functions with most self time.
 *
 *   pnpm bench:profile [folder for the profiles]
 */
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printTable, printTitle } from "../measure/report.ts";
import { startServer } from "../measure/server.ts";
import { selfTimes } from "./cpu-profile.ts";
import { load, slice } from "./slice.ts";
import { type Workload, workloads } from "./workloads.ts";

const requests = 200_000;
const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), "bench-profile-"));

const profile = async (workload: Workload): Promise<string> => {
  const name = `${workload.name}.cpuprofile`;
  const options = ["--cpu-prof", `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${name}`];
  const server = load(
    "framework",
    await startServer("framework.ts", ["--env", "production", "--workers", "1"], options),
  );
  await slice(server, workload, requests);
  server.loop.close();
  await server.program.stop();
  return join(folder, name);
};

printTitle(`Self time of functions over ${requests} requests of each kind, the first third left out`);
for (const workload of workloads) {
  const functions = selfTimes(await profile(workload));
  const rows = functions
    .slice(0, 15)
    .map(({ name, share, caller }) => [`${(share * 100).toFixed(1)} %`, name, caller]);
  printTable([workload.name, "self time of", "mostly called by"], rows);
}
console.log(`${readdirSync(folder).length} profiles in ${folder}`);
