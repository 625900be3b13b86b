/**
 * GraphQL over HTTP in user-space instructions of a request, which do not depend on the load of the machine: the framework beside its peers.
 *
 *   pnpm --filter @framework/bench run bench:graphql:count [--servers framework,framework-16,graphql-http,mercurius]
 */
import { parseArgs } from "node:util";
import { instrument } from "../instructions/callgrind.ts";
import { type Count, countSubject, type Effort } from "../instructions/count.ts";
import { eager } from "../instructions/subjects.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import {
  isOwn,
  operationFor,
  operations,
  ownFor,
  type ServerName,
  servers,
  shareAtLeast,
} from "./operations.ts";

/** GraphQL is more code than an endpoint: it takes longer until all of it is compiled for good. */
const effort: Effort = {
  passes: 10,
  warmUp: 500,
  windows: 6,
  requests: 400,
  estimate: (windows) => Math.min(...windows),
};

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  options: { servers: { type: "string", default: "framework,framework-16,graphql-http,mercurius" } },
});
const { name: counter, reason } = instrument();
if (counter === null) throw new Error(reason);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const counts = new Map<ServerName, ReadonlyMap<string, Count>>();
for (const { name, file, args } of servers) {
  if (!values.servers.split(",").includes(name)) continue;
  const asked = operations.map((workload) => operationFor(name, workload));
  counts.set(name, await countSubject({ name, file, args, nodeArgs: eager }, asked, effort));
  const cells = [...(counts.get(name) ?? [])].map(
    ([each, { instructions, low, high }]) => `${each} ${instructions} [${low}–${high}]`,
  );
  console.error(name, cells.join("  "));
}

/** Requests of the framework per instruction, on the same release of graphql, as a share of those of another server. */
const shareOf = (name: ServerName, workload: string): number =>
  (counts.get(name)?.get(workload)?.instructions ?? NaN) /
  (counts.get(ownFor(name))?.get(workload)?.instructions ?? NaN);

printTitle(`GraphQL over HTTP, user-space instructions for one request (${counter})`);
printTable(
  ["server", ...operations.flatMap(({ title }) => [title, "framework is ahead by"])],
  [...counts].map(([name, cells]) => [
    name,
    ...operations.flatMap((workload) => [
      cells.get(workload.name)?.instructions ?? NaN,
      isOwn(name) ? "" : shareOf(name, workload.name).toFixed(2),
    ]),
  ]),
);
for (const name of counts.keys()) {
  const atLeast = shareAtLeast(name);
  if (atLeast === null) continue;
  for (const workload of operations) {
    const share = shareOf(name, workload.name);
    gate(share >= atLeast, `${workload.name}: ${share.toFixed(2)} of ${name}, at least ${atLeast}`);
  }
}
