/**
 * Measures the cost of a failing collector: p99 and memory of a server without `@framework/telemetry`, with a working collector, and with collectors that are down,
 * reply 429 or never reply. Each of these fills the span queue during the warm-up.
 *
 *   pnpm --filter @framework/bench run bench:collector-faults [--rounds 21] [--sampling 0.1]
 */
import { parseArgs } from "node:util";
import { type Member, pinClient, startMember } from "../compare/fleet.ts";
import { type Cost, slice } from "../compare/slice.ts";
import { verify } from "../workloads/verify.ts";
import { workloads } from "../workloads/workloads.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { startServer } from "../measure/server.ts";
import { estimate, type Estimate, median, formatEstimate } from "../measure/statistics.ts";

const MAX_P99_RATIO = 1.1;
/** A full queue is 2,048 encoded spans of about 350 bytes (0.7 MiB); the rest is headroom for differences between the heaps of the servers. */
const MAX_EXTRA_MIB = 24;
const REQUESTS = 4000;
const WARM_UP = 20;
const MIB = 1024 * 1024;
/** The `discard` port, on which nothing listens. */
const UNUSED_PORT = 9;

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "21" }, sampling: { type: "string", default: "0.1" } },
});
const cases = ["none", "ok", "down", "busy", "never"] as const;
type Case = (typeof cases)[number];

printTitle(
  `Collectors at samplingRate ${values.sampling}: p99 and memory, median of ${values.rounds} rounds`,
);
pinClient();
await using started = new AsyncDisposableStack();
const members = new Map<Case, Member>();
for (const name of cases) {
  const isServer = name === "ok" || name === "busy" || name === "never";
  const collector = isServer
    ? started.use(await startServer("otlp-collector.ts", [`--mode=${name}`])).port
    : UNUSED_PORT;
  const telemetry = name === "none" ? "none" : "both";
  const args = [`--telemetry=${telemetry}`, `--collector=${collector}`, `--sampling=${values.sampling}`];
  const contender = { name, title: name, file: "framework-telemetry.ts", args };
  members.set(name, started.use(await startMember(contender, { execArgv: ["--expose-gc"] })));
}

const workload = workloads.find(({ name }) => name === "json");
if (workload === undefined) throw new Error("there is no workload json");
const { rejected: _, ...unvalidated } = workload;
const shots = new Map<Case, Awaited<ReturnType<typeof verify>>>();
for (const [name, { port }] of members) shots.set(name, await verify(name, port, unvalidated));

const costs = new Map<Case, Cost[]>(cases.map((name) => [name, []]));
for (let round = -WARM_UP; round < Number(values.rounds); round++) {
  for (const name of round % 2 === 0 ? cases : cases.toReversed()) {
    const [member, shot] = [members.get(name), shots.get(name)];
    if (member === undefined || shot === undefined) throw new Error(`there is no server ${name}`);
    const cost = await slice(member, unvalidated, shot, REQUESTS);
    if (round >= 0) costs.get(name)?.push(cost);
  }
}

const valuesOf = (name: Case, part: "p99" | "cpuMicros"): number[] =>
  (costs.get(name) ?? []).map((cost) => cost[part]);
/** Estimates the median of the per-round p99 ratios of two servers. */
const p99Ratio = (name: Case, other: Case): Estimate => {
  const others = valuesOf(other, "p99");
  return estimate(valuesOf(name, "p99").map((p99, round) => p99 / (others[round] ?? NaN)));
};
const memory = new Map<Case, number>();
for (const [name, { vitals }] of members) memory.set(name, (await vitals.residentBytes()) / MIB);

printTable(
  ["collector", "µs per request", "p99 ms", "p99 / none", "p99 / ok", "MiB"],
  cases.map((name) => [
    name,
    median(valuesOf(name, "cpuMicros")).toFixed(1),
    median(valuesOf(name, "p99")).toFixed(2),
    formatEstimate(p99Ratio(name, "none"), 2),
    formatEstimate(p99Ratio(name, "ok"), 2),
    (memory.get(name) ?? NaN).toFixed(0),
  ]),
);
for (const name of ["down", "busy", "never"] as const) {
  const p99 = p99Ratio(name, "ok").median;
  gate(
    p99 <= MAX_P99_RATIO,
    `${name}: p99 at most ${MAX_P99_RATIO} times that with a working collector (${p99.toFixed(2)})`,
  );
  const more = (memory.get(name) ?? NaN) - (memory.get("ok") ?? NaN);
  gate(
    more <= MAX_EXTRA_MIB,
    `${name}: at most ${MAX_EXTRA_MIB} MiB more than with a working collector (${more.toFixed(0)})`,
  );
}
