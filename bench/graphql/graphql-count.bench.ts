/**
 * Counts the user-space instructions of GraphQL requests over HTTP, which do not depend on machine load: the framework compared with its peers.
 *
 *   pnpm --filter @framework/bench run bench:graphql:count [--servers framework,framework-16,graphql-http,mercurius]
 */
import { parseArgs } from "node:util";
import { findInstrument } from "../instructions/callgrind.ts";
import { type Count, countSubject, type Effort } from "../instructions/count.ts";
import { earlyOptimization } from "../instructions/subjects.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { selectNames } from "../measure/select-names.ts";
import {
  isFramework,
  operationFor,
  operations,
  frameworkFor,
  type ServerName,
  servers,
  minRatioFor,
} from "./operations.ts";

/** GraphQL runs more code than an endpoint, so it takes longer until all of it is optimized. */
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
const known = servers.map(({ name }) => name);
const selectedNames = selectNames("server", values.servers.split(","), known);
const { name: counter, reason } = findInstrument();
if (counter === null) throw new Error(reason);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const counts = new Map<ServerName, ReadonlyMap<string, Count>>();
for (const { name, file, args } of servers) {
  if (!selectedNames.includes(name)) continue;
  const selectedWorkloads = operations.map((workload) => operationFor(name, workload));
  counts.set(
    name,
    await countSubject({ name, file, args, nodeArgs: earlyOptimization }, selectedWorkloads, effort),
  );
  const cells = [...(counts.get(name) ?? [])].map(
    ([each, { instructions, low, high }]) => `${each} ${instructions} [${low}–${high}]`,
  );
  console.error(name, cells.join("  "));
}

/** Returns the requests per instruction of the framework on the same release of graphql, as a ratio to another server. */
const ratioOf = (name: ServerName, workload: string): number =>
  (counts.get(name)?.get(workload)?.instructions ?? NaN) /
  (counts.get(frameworkFor(name))?.get(workload)?.instructions ?? NaN);

printTitle(`GraphQL over HTTP, user-space instructions for one request (${counter})`);
printTable(
  ["server", ...operations.flatMap(({ title }) => [title, "this / framework"])],
  [...counts].map(([name, cells]) => [
    name,
    ...operations.flatMap((workload) => [
      cells.get(workload.name)?.instructions ?? NaN,
      isFramework(name) ? "" : ratioOf(name, workload.name).toFixed(2),
    ]),
  ]),
);
for (const name of counts.keys()) {
  const minRatio = minRatioFor(name);
  if (minRatio === null) continue;
  for (const workload of operations) {
    const ratio = ratioOf(name, workload.name);
    gate(
      ratio >= minRatio,
      `${workload.name}: ${ratio.toFixed(2)} times the requests of ${name} per instruction, at least ${minRatio}`,
    );
  }
}
