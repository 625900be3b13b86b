/**
 * Measures the processor time of a new connection with one request: in one process beside `node:http`, and in four workers and their primary beside `node:cluster`.
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

/** Servers that are compared: the first is Node's own. `must` is the least ratio of its time to the framework's. */
interface Comparison {
  readonly title: string;
  readonly must: number;
  readonly ways: readonly (readonly [title: string, args: readonly string[]])[];
}

const comparisons: readonly Comparison[] = [
  {
    title: "one process",
    must: 1,
    ways: [
      ["raw node:http", ["--single"]],
      ["framework", ["--framework", "--single"]],
    ],
  },
  {
    title: "four workers",
    must: 2,
    ways: [
      ["node:cluster, raw node:http", []],
      ["framework, workers accept", ["--framework"]],
      ["framework, primary accepts", ["--framework", "--primary"]],
    ],
  },
];

/** Measures the servers of a comparison in turns; returns the ratio of the second. */
const compare = async ({ ways }: Comparison): Promise<number> => {
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
    ["Server", "µs of processor time a connection", "ratio to Node's own"],
    rows.map(({ title, micros, ratio }) => [title, shown(micros, 0), shown(ratio, 2)]),
  );
  return rows[1]?.ratio.median ?? 0;
};

for (const comparison of comparisons) {
  printTitle(
    `${requests} new connections with one request each, ${CONCURRENCY} at once, ${comparison.title}`,
  );
  const found = await compare(comparison);
  gate(
    found >= comparison.must,
    `${comparison.title}: Node's own takes ${comparison.must} times the framework's processor time for a new connection: ${found.toFixed(2)}`,
  );
}
