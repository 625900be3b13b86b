/**
 * GraphQL over HTTP: CPU time of a request beside graphql-http by itself, Yoga, Apollo Server and Mercurius, in turns within one run.
 *
 *   pnpm --filter @framework/bench run bench:graphql [--rounds 21] [--servers framework,framework-16,graphql-http,yoga,apollo,mercurius]
 */
import { parseArgs } from "node:util";
import { type Member, pinClient, startMember } from "../compare/fleet.ts";
import { slice } from "../compare/slice.ts";
import { verify } from "../compare/verify.ts";
import type { Workload } from "../compare/workloads.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { estimate, type Estimate, median, shown } from "../measure/statistics.ts";
import {
  isOwn,
  operationFor,
  operations,
  ownFor,
  type ServerName,
  servers,
  shareAtLeast,
} from "./operations.ts";

const WARM_UP = 6;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "21" },
    servers: { type: "string", default: servers.map(({ name }) => name).join(",") },
  },
});
const chosen = servers.filter(({ name }) => values.servers.split(",").includes(name));

/** CPU time of each server, in microseconds for a request, round by round. */
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

/** Requests per CPU time of the framework, on the same release of graphql, as a share of those of another server, within each round. */
const shareOf = (costs: ReadonlyMap<ServerName, readonly number[]>, name: ServerName): Estimate => {
  const own = costs.get(ownFor(name)) ?? [];
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
    [workload.title, "µs CPU", "framework is ahead by"],
    chosen.map(({ name, title }) => [
      title,
      median(costs.get(name) ?? []).toFixed(1),
      isOwn(name) ? "" : shown(shareOf(costs, name), 2),
    ]),
  );
}
for (const { workload, costs } of results) {
  for (const { name, title } of chosen) {
    const atLeast = shareAtLeast(name);
    if (atLeast === null) continue;
    const { median: share } = shareOf(costs, name);
    gate(
      share >= atLeast,
      `${workload.name}: ${share.toFixed(2)} of the requests of ${title}, at least ${atLeast}`,
    );
  }
}
