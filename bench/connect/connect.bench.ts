/**
 * Measures the processor time that four workers and their primary take for a new connection with one request, as a ratio to `node:cluster`.
 *
 *   pnpm bench:connect [rounds] [requests of a slice]
 */
import { gate, printTable, printTitle } from "../measure/report.ts";
import { startServer } from "../measure/server.ts";
import { estimate, shown } from "../measure/statistics.ts";
import { newConnections } from "./new-connections.ts";
import { processorMicros } from "./processor-time.ts";

const rounds = Number(process.argv[2] ?? 15);
const requests = Number(process.argv[3] ?? 2000);
const CONCURRENCY = 64;
const WARM_UP = 4000;
const MUST = 2;

const ways: readonly (readonly [title: string, args: readonly string[]])[] = [
  ["node:cluster, raw node:http", []],
  ["framework, workers accept", ["--framework"]],
  ["framework, primary accepts", ["--framework", "--primary"]],
];

printTitle(`${requests} new connections with one request each, ${CONCURRENCY} at once, 4 workers`);
await using started = new AsyncDisposableStack();
const servers = [];
for (const [title, args] of ways) {
  const server = started.use(await startServer("cluster.ts", args, [], { NODE_ENV: "production" }));
  await newConnections(server.port, CONCURRENCY, WARM_UP);
  servers.push({ title, server, micros: [] as number[] });
}
for (let round = 0; round < rounds; round++) {
  for (const { server, micros } of round % 2 === 0 ? servers : servers.toReversed()) {
    const before = processorMicros(server.program.pid);
    await newConnections(server.port, CONCURRENCY, requests);
    micros.push((processorMicros(server.program.pid) - before) / requests);
  }
}
const [baseline = []] = servers.map(({ micros }) => micros);
const rows = servers.map(({ title, micros }) => {
  const ratio = estimate(micros.map((each, round) => (baseline[round] ?? NaN) / each));
  return { title, micros: estimate(micros), ratio };
});
printTable(
  ["Server", "µs of processor time a connection", "ratio to node:cluster"],
  rows.map(({ title, micros, ratio }) => [title, shown(micros, 0), shown(ratio, 2)]),
);
const found = rows[1]?.ratio.median ?? 0;
gate(
  found >= MUST,
  `four workers accept new connections for 1/${MUST} of node:cluster's processor time: ${found.toFixed(2)}`,
);
