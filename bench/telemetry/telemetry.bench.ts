/**
 * What traces and metrics cost: requests per CPU time of one server without `@framework/telemetry`, with it but not enabled, with traces alone, with
 * metrics alone, and with both.
 *
 *   pnpm --filter @framework/bench run bench:telemetry [--rounds 21] [--sampling 0.1]
 */
import { parseArgs } from "node:util";
import { type Member, pinClient, startMember } from "../compare/fleet.ts";
import { slice } from "../compare/slice.ts";
import { verify } from "../compare/verify.ts";
import { type Workload, workloads } from "../compare/workloads.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { startServer } from "../measure/server.ts";
import { estimate, type Estimate, median, shown } from "../measure/statistics.ts";

const ENABLED_AT_LEAST = 0.85;
const OFF_AT_LEAST = 0.97;
const REQUESTS = 4000;
/** A tenth of the requests is recorded, and spans are sent in batches: that code must be compiled too before it is measured. */
const WARM_UP = 20;

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "21" }, sampling: { type: "string", default: "0.1" } },
});
const ways = ["none", "off", "traces", "metrics", "both"] as const;
type Way = (typeof ways)[number];

/** CPU time of each way, in microseconds for a request, round by round. */
const measure = async (
  members: ReadonlyMap<Way, Member>,
  workload: Workload,
): Promise<ReadonlyMap<Way, readonly number[]>> => {
  const costs = new Map<Way, number[]>(ways.map((way) => [way, []]));
  const shots = new Map<Way, Awaited<ReturnType<typeof verify>>>();
  for (const [way, member] of members) shots.set(way, await verify(way, member.port, workload));
  for (let round = -WARM_UP; round < Number(values.rounds); round++) {
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
      const [member, shot] = [members.get(way), shots.get(way)];
      if (member === undefined || shot === undefined) throw new Error(`there is no server ${way}`);
      const { cpuMicros } = await slice(member, workload, shot, REQUESTS);
      if (round >= 0) costs.get(way)?.push(cpuMicros);
    }
  }
  return costs;
};

/** Requests per CPU time of a way, as a share of those without the package, within each round. */
const shareOf = (costs: ReadonlyMap<Way, readonly number[]>, way: Way): Estimate => {
  const without = costs.get("none") ?? [];
  return estimate((costs.get(way) ?? []).map((cost, round) => (without[round] ?? NaN) / cost));
};

printTitle(
  `Telemetry at samplingRate ${values.sampling}, requests per CPU time, median of ${values.rounds} rounds`,
);
pinClient();
await using collector = await startServer("otlp-collector.ts");
await using started = new AsyncDisposableStack();
const members = new Map<Way, Member>();
for (const way of ways) {
  const args = [`--telemetry=${way}`, `--collector=${collector.port}`, `--sampling=${values.sampling}`];
  const contender = { name: way, title: way, file: "framework-telemetry.ts", args };
  members.set(way, started.use(await startMember(contender)));
}
const results = [];
for (const name of ["json", "echo"]) {
  const workload = workloads.find((each) => each.name === name);
  if (workload === undefined) throw new Error(`there is no workload ${name}`);
  const { refused: _, ...asked } = workload;
  const costs = await measure(members, asked);
  results.push({ name, costs, off: shareOf(costs, "off"), both: shareOf(costs, "both") });
}
printTable(
  ["request", "µs without", "µs with both", ...ways.slice(1).map((way) => `share ${way}`)],
  results.map(({ name, costs }) => [
    name,
    median(costs.get("none") ?? []).toFixed(1),
    median(costs.get("both") ?? []).toFixed(1),
    ...ways.slice(1).map((way) => shown(shareOf(costs, way), 3)),
  ]),
);
for (const { name, off, both } of results) {
  gate(
    off.median >= OFF_AT_LEAST,
    `${name}: not enabled keeps ${OFF_AT_LEAST} of the requests (${off.median.toFixed(3)})`,
  );
  gate(
    both.median >= ENABLED_AT_LEAST,
    `${name}: enabled keeps ${ENABLED_AT_LEAST} of the requests (${both.median.toFixed(3)})`,
  );
}
