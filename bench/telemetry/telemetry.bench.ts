/**
 * Measures the cost of traces and metrics: requests per CPU time of a server without `@framework/telemetry`, with it but not enabled, with traces, with
 * metrics, and with both.
 *
 *   pnpm --filter @framework/bench run bench:telemetry [--rounds 21] [--sampling 0.1]
 */
import { parseArgs } from "node:util";
import { type Member, pinClient, startMember } from "../compare/fleet.ts";
import { slice } from "../compare/slice.ts";
import { verify } from "../workloads/verify.ts";
import { type Workload, workloads } from "../workloads/workloads.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { startServer } from "../measure/server.ts";
import { estimate, type Estimate, median, formatEstimate } from "../measure/statistics.ts";
import { type Mode, modes } from "./modes.ts";

const MIN_RATIO_ENABLED = 0.85;
const MIN_RATIO_DISABLED = 0.97;
const REQUESTS = 4000;
/** Long, because only a tenth of the requests are sampled and spans are sent in batches: that code must be optimized too. */
const WARM_UP = 20;

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "21" }, sampling: { type: "string", default: "0.1" } },
});

/** Measures the CPU time of each mode in microseconds per request, for each round. */
const measure = async (
  members: ReadonlyMap<Mode, Member>,
  workload: Workload,
): Promise<ReadonlyMap<Mode, readonly number[]>> => {
  const costs = new Map<Mode, number[]>(modes.map((mode) => [mode, []]));
  const shots = new Map<Mode, Awaited<ReturnType<typeof verify>>>();
  for (const [mode, member] of members) shots.set(mode, await verify(mode, member.port, workload));
  for (let round = -WARM_UP; round < Number(values.rounds); round++) {
    for (const mode of round % 2 === 0 ? modes : modes.toReversed()) {
      const [member, shot] = [members.get(mode), shots.get(mode)];
      if (member === undefined || shot === undefined) throw new Error(`there is no server ${mode}`);
      const { cpuMicros } = await slice(member, workload, shot, REQUESTS);
      if (round >= 0) costs.get(mode)?.push(cpuMicros);
    }
  }
  return costs;
};

/** Returns the requests per CPU time of a mode, as a ratio to those without the package, within each round. */
const ratioOf = (costs: ReadonlyMap<Mode, readonly number[]>, mode: Mode): Estimate => {
  const baseline = costs.get("none") ?? [];
  return estimate((costs.get(mode) ?? []).map((cost, round) => (baseline[round] ?? NaN) / cost));
};

printTitle(
  `Telemetry at samplingRate ${values.sampling}, requests per CPU time, median of ${values.rounds} rounds`,
);
pinClient();
await using collector = await startServer("otlp-collector.ts");
await using started = new AsyncDisposableStack();
const members = new Map<Mode, Member>();
for (const mode of modes) {
  const args = [`--telemetry=${mode}`, `--collector=${collector.port}`, `--sampling=${values.sampling}`];
  const contender = { name: mode, title: mode, file: "framework-telemetry.ts", args };
  members.set(mode, started.use(await startMember(contender)));
}
const results = [];
for (const name of ["json", "echo"]) {
  const workload = workloads.find((each) => each.name === name);
  if (workload === undefined) throw new Error(`there is no workload ${name}`);
  const { rejected: _, ...unvalidated } = workload;
  const costs = await measure(members, unvalidated);
  results.push({ name, costs, off: ratioOf(costs, "off"), both: ratioOf(costs, "both") });
}
printTable(
  ["request", "none, µs", "both, µs", ...modes.slice(1).map((mode) => `none / ${mode}`)],
  results.map(({ name, costs }) => [
    name,
    median(costs.get("none") ?? []).toFixed(1),
    median(costs.get("both") ?? []).toFixed(1),
    ...modes.slice(1).map((mode) => formatEstimate(ratioOf(costs, mode), 3)),
  ]),
);
for (const { name, off, both } of results) {
  gate(
    off.median >= MIN_RATIO_DISABLED,
    `${name}, not enabled: ${off.median.toFixed(3)} times the requests per CPU time without the package, at least ${MIN_RATIO_DISABLED}`,
  );
  gate(
    both.median >= MIN_RATIO_ENABLED,
    `${name}, enabled: ${both.median.toFixed(3)} times the requests per CPU time without the package, at least ${MIN_RATIO_ENABLED}`,
  );
}
