/**
 * Measures the cost of rejecting an attack as a multiple of a trivial query, in processor time including the kernel's: the cheapest of many slices of each,
 * interleaved. Other load on the machine only adds time, so the cheapest slices hardly depend on it.
 *
 *   pnpm --filter @framework/bench run bench:graphql:attacks [--rounds 40]
 */
import { parseArgs } from "node:util";
import { startMember } from "../compare/fleet.ts";
import { slice } from "../compare/slice.ts";
import { verify } from "../workloads/verify.ts";
import type { Workload } from "../workloads/workloads.ts";
import type { Shot } from "../load/shot.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { attacks, mistakes } from "./attacks.ts";
import { field, servers } from "./operations.ts";

/** Maximum cost of a rejection, as a multiple of a trivial query. */
const LIMIT = 2;
const REQUESTS = 200;
const WARM_UP = 8;

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  options: { rounds: { type: "string", default: "40" } },
});
const [{ name, title, file }] = servers;
await using member = await startMember({ name, title, file, args: [] });
const cases: { readonly workload: Workload; readonly shot: Shot; min: number }[] = [];
for (const workload of [field, ...attacks, ...mistakes])
  cases.push({ workload, shot: await verify(name, member.port, workload), min: Infinity });
for (let round = -WARM_UP; round < Number(values.rounds); round++) {
  for (const each of cases) {
    const { cpuMicros } = await slice(member, each.workload, each.shot, REQUESTS);
    if (round >= 0) each.min = Math.min(each.min, cpuMicros);
  }
}
const [trivial] = cases;
const timesTrivial = (min: number): number => min / (trivial?.min ?? NaN);
printTitle(`Rejections, cheapest of ${values.rounds} slices`);
printTable(
  ["request", "bytes", "CPU time, µs", "ratio to a trivial query"],
  cases.map(({ workload, shot, min }) => [
    workload.title,
    shot.bytes.length,
    min.toFixed(1),
    timesTrivial(min).toFixed(2),
  ]),
);
for (const { workload, min } of cases.slice(1, 1 + attacks.length)) {
  const times = timesTrivial(min);
  gate(
    times <= LIMIT,
    `${workload.name}: costs ${times.toFixed(2)} times a trivial query, at most ${LIMIT} times`,
  );
}
