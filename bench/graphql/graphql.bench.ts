/**
 * GraphQL over HTTP: CPU time of a request beside graphql-http by itself, Yoga, Apollo Server and Mercurius, in turns within one run.
 *
 *   pnpm --filter @framework/bench run bench:graphql [--rounds 21] [--servers framework,graphql-http,yoga,apollo,mercurius]
 */
import { parseArgs } from "node:util";
import { type Member, pinClient, startMember } from "../compare/fleet.ts";
import { slice } from "../compare/slice.ts";
import { verify } from "../compare/verify.ts";
import type { Workload } from "../compare/workloads.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { estimate, type Estimate, median, shown } from "../measure/statistics.ts";
import { listAnswer } from "./library.ts";

const BARE_AT_LEAST = 0.9;
const REQUESTS = 2000;
const WARM_UP = 6;

const servers = [
  { name: "framework", title: "framework", file: "../graphql/framework.ts", args: [] },
  { name: "graphql-http", title: "graphql-http", file: "../graphql/graphql-http.ts", args: [] },
  {
    name: "cached",
    title: "graphql-http, cached by hand",
    file: "../graphql/graphql-http.ts",
    args: ["--cached"],
  },
  { name: "yoga", title: "Yoga", file: "../graphql/yoga.ts", args: [] },
  { name: "apollo", title: "Apollo Server", file: "../graphql-16/apollo.ts", args: [] },
  { name: "mercurius", title: "Mercurius", file: "../graphql-16/mercurius.ts", args: [] },
] as const;
type Name = (typeof servers)[number]["name"];

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "21" },
    servers: { type: "string", default: servers.map(({ name }) => name).join(",") },
  },
});
const chosen = servers.filter(({ name }) => values.servers.split(",").includes(name));

const asked = (query: string, variables: object = {}) => ({
  path: "/graphql",
  body: JSON.stringify({ query, variables }),
});
const LIST = "query List($first: Int!) { books(first: $first) { id title pages author { id name } } }";
const world = JSON.stringify({ data: { hello: "world" } });
const common = { type: "application/json", connections: 32, requests: REQUESTS };
const operation = (at: number) => asked(`query Each${at} { hello }`);

const workloads: readonly Workload[] = [
  { ...common, name: "field", title: "one field", request: asked("{ hello }"), body: world },
  {
    ...common,
    name: "list",
    title: "10 books with authors that are awaited",
    request: asked(LIST, { first: 10 }),
    body: await listAnswer(10),
  },
  {
    ...common,
    name: "new",
    title: "one field, documents that are not cached",
    request: operation(10_000),
    variants: Array.from({ length: 80_000 }, (_, at) => operation(10_001 + at)), // more than all rounds send,
    body: world,
  },
];

/** CPU time of each server, in microseconds for a request, round by round. */
const measure = async (
  members: ReadonlyMap<Name, Member>,
  workload: Workload,
): Promise<ReadonlyMap<Name, readonly number[]>> => {
  const costs = new Map<Name, number[]>();
  const shots = new Map<Name, Awaited<ReturnType<typeof verify>>>();
  for (const [name, member] of members) {
    const body = name === "apollo" ? `${workload.body}\n` : workload.body; // Apollo ends its replies with a line break
    shots.set(name, await verify(name, member.port, { ...workload, body }));
    costs.set(name, []);
  }
  const order = [...members];
  for (let round = -WARM_UP; round < Number(values.rounds); round++) {
    for (const [name, member] of round % 2 === 0 ? order : order.toReversed()) {
      const shot = shots.get(name);
      if (shot === undefined) throw new Error(`${name} was not verified`);
      const { cpuMicros } = await slice(member, workload, shot, REQUESTS);
      if (round >= 0) costs.get(name)?.push(cpuMicros);
    }
  }
  return costs;
};

/** Requests per CPU time of the framework, as a share of those of another server, within each round. */
const shareOf = (costs: ReadonlyMap<Name, readonly number[]>, name: Name): Estimate => {
  const own = costs.get("framework") ?? [];
  return estimate((costs.get(name) ?? []).map((cost, round) => cost / (own[round] ?? NaN)));
};

printTitle(`GraphQL over HTTP, requests per CPU time, median of ${values.rounds} rounds`);
pinClient();
await using started = new AsyncDisposableStack();
const members = new Map<Name, Member>();
for (const contender of chosen)
  members.set(contender.name, started.use(await startMember({ ...contender, args: [...contender.args] })));
const results: { readonly workload: Workload; readonly costs: ReadonlyMap<Name, readonly number[]> }[] = [];
for (const workload of workloads) results.push({ workload, costs: await measure(members, workload) });
for (const { workload, costs } of results) {
  printTable(
    [workload.title, "µs CPU", "framework is ahead by"],
    chosen.map(({ name, title }) => [
      title,
      median(costs.get(name) ?? []).toFixed(1),
      name === "framework" ? "" : shown(shareOf(costs, name), 2),
    ]),
  );
}
for (const { workload, costs } of results) {
  for (const { name, title } of chosen) {
    if (name === "framework" || name === "cached") continue;
    const { median: share } = shareOf(costs, name);
    const atLeast = name === "graphql-http" ? BARE_AT_LEAST : 1;
    gate(
      share >= atLeast,
      `${workload.name}: ${share.toFixed(2)} of the requests of ${title}, at least ${atLeast}`,
    );
  }
}
