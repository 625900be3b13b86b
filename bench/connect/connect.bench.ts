/**
 * Measures the processor time of a new connection with one request: one process compared with `node:http`, and four workers with their primary compared with `node:cluster`.
 *
 *   pnpm bench:connect [rounds] [requests per slice]
 */
import { gate, printTable, printTitle } from "../measure/report.ts";
import { startServer } from "../measure/server.ts";
import { estimate, formatEstimate } from "../measure/statistics.ts";
import { sendOnNewConnections } from "./new-connections.ts";
import { processorMicros } from "./processor-time.ts";

const rounds = Number(process.argv[2] ?? 15);
const requests = Number(process.argv[3] ?? 2000);
const CONCURRENCY = 64;
const WARM_UP = 4000;

/** Servers to compare; the first one is Node's. `minRatio` is the minimum of its processor time divided by the framework's. */
interface Comparison {
  readonly title: string;
  readonly minRatio: number;
  readonly servers: readonly (readonly [title: string, args: readonly string[]])[];
}

const comparisons: readonly Comparison[] = [
  {
    title: "one process",
    minRatio: 1,
    servers: [
      ["raw node:http", ["--single"]],
      ["framework", ["--framework", "--single"]],
    ],
  },
  {
    title: "four workers",
    minRatio: 2,
    servers: [
      ["node:cluster, raw node:http", []],
      ["framework, workers accept", ["--framework"]],
      ["framework, primary accepts", ["--framework", "--primary"]],
    ],
  },
];

/** Measures the servers of a comparison alternately; returns the ratio of the second one. */
const compare = async ({ servers: programs }: Comparison): Promise<number> => {
  await using started = new AsyncDisposableStack();
  const servers = [];
  for (const [title, args] of programs) {
    const server = started.use(await startServer("cluster.ts", args, [], { NODE_ENV: "production" }));
    await sendOnNewConnections(server.port, CONCURRENCY, WARM_UP);
    servers.push({ title, server, micros: [] as number[] });
  }
  for (let round = 0; round < rounds; round++) {
    for (const { server, micros } of round % 2 === 0 ? servers : servers.toReversed()) {
      const before = processorMicros(server.program.pid);
      await sendOnNewConnections(server.port, CONCURRENCY, requests);
      micros.push((processorMicros(server.program.pid) - before) / requests);
    }
  }
  const [baseline = []] = servers.map(({ micros }) => micros);
  const rows = servers.map(({ title, micros }) => {
    const ratio = estimate(micros.map((each, round) => (baseline[round] ?? NaN) / each));
    return { title, micros: estimate(micros), ratio };
  });
  printTable(
    ["Server", "CPU time per connection, µs", "Node's server / this server"],
    rows.map(({ title, micros, ratio }) => [title, formatEstimate(micros, 0), formatEstimate(ratio, 2)]),
  );
  return rows[1]?.ratio.median ?? 0;
};

for (const comparison of comparisons) {
  printTitle(
    `${requests} new connections with one request each, ${CONCURRENCY} concurrent, ${comparison.title}`,
  );
  const ratio = await compare(comparison);
  gate(
    ratio >= comparison.minRatio,
    `${comparison.title}: Node's server takes at least ${comparison.minRatio} times the framework's processor time for a new connection: ${ratio.toFixed(2)}`,
  );
}
