/**
 * Compares the processor time that one request costs: the framework on its node transport, a hand-written `node:http` handler, and the
 * same with `node:http` tuned. All three run at once, in slices that take turns, and every ratio is made within one round.
 *
 *   pnpm bench:json [rounds] [requests per slice]
 */
import { pin } from "../measure/pin.ts";
import { printTable, printTitle } from "../measure/report.ts";
import { startServer } from "../measure/server.ts";
import { estimate, median, shown } from "../measure/statistics.ts";
import { check, type Cost, load, type Loaded, slice } from "./slice.ts";
import { type Workload, workloads } from "./workloads.ts";

const rounds = Number(process.argv[2] ?? 24);
const requests = Number(process.argv[3] ?? 6000);
const warmUp = 12_000;

const names = ["raw", "raw tuned", "framework"] as const;
type Name = (typeof names)[number];
type Round = Readonly<Record<Name, Cost>>;

const inTurn = async (servers: readonly Loaded[], workload: Workload): Promise<Round> => {
  const costs = new Map<string, Cost>();
  for (const server of servers) costs.set(server.name, await slice(server, workload, requests));
  return Object.fromEntries(costs) as unknown as Round;
};

const measure = async (servers: readonly Loaded[], workload: Workload): Promise<Round[]> => {
  for (const server of servers) {
    await check(server, workload);
    await slice(server, workload, warmUp);
  }
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    measured.push(await inTurn(round % 2 === 0 ? servers : servers.toReversed(), workload));
  }
  return measured;
};

const ratio = (measured: readonly Round[], of: Name, to: Name): string =>
  shown(estimate(measured.map((round) => round[to].cpuMicros / round[of].cpuMicros)), 2);

const row = (workload: string, measured: readonly Round[], name: Name): string[] => [
  `${workload}, ${name}`,
  shown(estimate(measured.map((round) => round[name].cpuMicros)), 1),
  ratio(measured, name, "raw"),
  ratio(measured, name, "raw tuned"),
  median(measured.map((round) => round[name].requestsPerSecond)).toFixed(0),
];

printTitle("Processor time for one request; a ratio above 1 is cheaper than what it is compared with");
await using raw = await startServer("raw.ts");
await using tuned = await startServer("raw.ts", ["--tuned"]);
await using framework = await startServer("framework.ts", ["--env", "production", "--workers", "1"]);
const servers = [load("raw", raw), load("raw tuned", tuned), load("framework", framework)];
const pinned = [pin(process.pid, 1), ...servers.map(({ program }) => pin(program.pid, 0))].every(Boolean);
console.log(
  `${rounds} rounds of ${requests} requests after ${warmUp} for warming up, 64 connections; ` +
    `${pinned ? "servers and client each pinned to a core" : "nothing pinned to a core"}\n`,
);
const rows: string[][] = [];
for (const workload of workloads) {
  const measured = await measure(servers, workload);
  for (const name of names) rows.push(row(workload.name, measured, name));
}
printTable(["Request", "µs CPU", "ratio to raw", "ratio to raw tuned", "requests/s"], rows);
for (const { loop } of servers) loop.close();
