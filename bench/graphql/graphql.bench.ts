/**
 * Compares the CPU time of GraphQL requests over HTTP with graphql-http, Yoga, Apollo Server and Mercurius, alternately within one run.
 *
 *   pnpm --filter @framework/bench run bench:graphql [--rounds 21] [--servers framework,framework-16,graphql-http,yoga,apollo,mercurius]
 */
import { parseArgs } from "node:util";
import { type Member, pinClient, startMember } from "../compare/fleet.ts";
import { slice } from "../compare/slice.ts";
import { verify } from "../workloads/verify.ts";
import type { Workload } from "../workloads/workloads.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { selectNames } from "../measure/select-names.ts";
import { estimate, type Estimate, median, formatEstimate } from "../measure/statistics.ts";
import {
  isFramework,
  operationFor,
  operations,
  frameworkFor,
  type ServerName,
  servers,
  minRatioFor,
} from "./operations.ts";

const WARM_UP = 6;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "21" },
    servers: { type: "string", default: servers.map(({ name }) => name).join(",") },
  },
});
const known = servers.map(({ name }) => name);
const selectedNames = selectNames("server", values.servers.split(","), known);
const chosen = servers.filter(({ name }) => selectedNames.includes(name));

/** Measures the CPU time of each server in microseconds per request, for each round. */
const measure = async (
  members: ReadonlyMap<ServerName, Member>,
  workload: Workload,
): Promise<ReadonlyMap<ServerName, readonly number[]>> => {
  const costs = new Map<ServerName, number[]>();
  const shots = new Map<ServerName, Awaited<ReturnType<typeof verify>>>();
  for (const [name, member] of members) {
    shots.set(name, await verify(name, member.port, operationFor(name, workload)));
    costs.set(name, []);
  }
  const order = [...members];
  for (let round = -WARM_UP; round < Number(values.rounds); round++) {
    for (const [name, member] of round % 2 === 0 ? order : order.toReversed()) {
      const shot = shots.get(name);
      if (shot === undefined) throw new Error(`${name} was not verified`);
      const { cpuMicros } = await slice(member, workload, shot, workload.requests);
      if (round >= 0) costs.get(name)?.push(cpuMicros);
    }
  }
  return costs;
};

/** Returns the requests per CPU time of the framework on the same release of graphql, as a ratio to another server, within each round. */
const ratioOf = (costs: ReadonlyMap<ServerName, readonly number[]>, name: ServerName): Estimate => {
  const own = costs.get(frameworkFor(name)) ?? [];
  return estimate((costs.get(name) ?? []).map((cost, round) => cost / (own[round] ?? NaN)));
};

printTitle(`GraphQL over HTTP, requests per CPU time, median of ${values.rounds} rounds`);
pinClient();
await using started = new AsyncDisposableStack();
const members = new Map<ServerName, Member>();
for (const contender of chosen)
  members.set(contender.name, started.use(await startMember({ ...contender, args: [...contender.args] })));
const results: { readonly workload: Workload; readonly costs: ReadonlyMap<ServerName, readonly number[]> }[] =
  [];
for (const workload of operations) results.push({ workload, costs: await measure(members, workload) });
for (const { workload, costs } of results) {
  printTable(
    [workload.title, "µs CPU", "CPU time, this / framework"],
    chosen.map(({ name, title }) => [
      title,
      median(costs.get(name) ?? []).toFixed(1),
      isFramework(name) ? "" : formatEstimate(ratioOf(costs, name), 2),
    ]),
  );
}
for (const { workload, costs } of results) {
  for (const { name, title } of chosen) {
    const minRatio = minRatioFor(name);
    if (minRatio === null) continue;
    const { median: ratio } = ratioOf(costs, name);
    gate(
      ratio >= minRatio,
      `${workload.name}: ${ratio.toFixed(2)} times the requests of ${title} per CPU time, at least ${minRatio}`,
    );
  }
}
