/**
 * Verifies that idle keep-alive connections cost only a little memory: thousands of clients send one request each and stay connected, on both transports
 * and on bare `node:http`. Other clients must still be served, and all idle connections must be closed at the idle limit.
 *
 *   pnpm bench:idle [connections]
 */
import { execSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { startProgram } from "@framework/testing";
import { fetchJson } from "../client/fetch-json.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { type OpenResources, startService, transports } from "../soak/service-report.ts";
import { IdleConnections } from "./idle-connections.ts";
import { formatLatency, type Latency, measureLatency } from "./latency.ts";

const IDLE_SECS = 25;
/** Maximum delay from the idle limit to the close of a connection: the sweep runs once a second. */
const GRACE_MS = 2000;
/** Maximum delay until the clients notice the close. */
const NOTICE_MS = 2000;
const ROUNDS = 2;
const PROBES = 8;

/** Hard limit of open files, to which Node raises its soft limit. Client and server each need one file per connection. */
const files = Number(execSync("ulimit -Hn", { encoding: "utf8" })) || Infinity;
const requestedConnections = Number(process.argv[2] ?? 10_000);
const connections = Math.min(requestedConnections, files - 500);
if (connections < requestedConnections)
  console.log(`only ${connections} connections: the system allows ${files} open files\n`);

interface Round {
  readonly replyCount: number;
  readonly full: OpenResources;
  /** Connections that were still open when all should be closed. */
  readonly remaining: number;
  /** Connections that received bytes after their reply. */
  readonly withExtraBytes: number;
  readonly closedEarly: number;
  readonly longestMs: number;
  readonly busy: Latency;
  readonly after: OpenResources;
}

interface IdleServer extends AsyncDisposable {
  readonly name: string;
  readonly port: number;
}

const run = async ({
  port,
}: IdleServer): Promise<{ before: OpenResources; quiet: Latency; results: readonly Round[] }> => {
  const readResources = async (): Promise<OpenResources> =>
    (await fetchJson(port, "/open-resources")) as OpenResources;
  const measureFor = async (ms: number): Promise<Latency> => {
    const stop = measureLatency(port, PROBES, 10);
    await pause(ms);
    return stop();
  };
  await measureFor(2000); // warms the server up
  const quiet = await measureFor(4000);
  await pause(500);
  const before = await readResources();
  const results: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const idle = new IdleConnections();
    const replyCount = await idle.connect(port, connections);
    const connectedAt = performance.now();
    const full = await readResources();
    const busy = await measureFor(4000);
    const closedEarly = connections - idle.openCount;
    await pause(IDLE_SECS * 1000 + GRACE_MS + NOTICE_MS - (performance.now() - connectedAt));
    const remaining = idle.openCount;
    const { countWithExtraBytes: withExtraBytes, longestMs } = idle;
    idle.close();
    await pause(1000);
    results.push({
      replyCount,
      full,
      remaining,
      withExtraBytes,
      closedEarly,
      longestMs,
      busy,
      after: await readResources(),
    });
  }
  return { before, quiet, results };
};

const startRaw = async (): Promise<IdleServer> => {
  const program = await startProgram(new URL("raw-idle.ts", import.meta.url), {
    execArgv: ["--expose-gc", "--no-flush-bytecode"],
    env: { NODE_OPTIONS: undefined, IDLE_SECS: String(IDLE_SECS) },
  });
  return {
    name: "raw node:http",
    port: Number(new URL(program.url).port),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
};

const starters: readonly (() => Promise<IdleServer>)[] = [
  ...transports.map((transport) => async () => {
    const limits = { maxConnections: connections + 500 };
    const service = await startService(transport, { limits, timeouts: { idleSecs: IDLE_SECS } });
    return {
      name: transport,
      port: service.port,
      [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
    };
  }),
  startRaw,
];

const mebibytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);
const kibibytes = (bytes: number): string => (bytes / 1024).toFixed(2);
const otherHandles = ({ resources }: OpenResources): number =>
  Object.entries(resources).reduce((sum, [kind, count]) => (kind === "TCPSocketWrap" ? sum : sum + count), 0);

printTitle(`${connections} idle keep-alive connections, closed after ${IDLE_SECS} s, ${ROUNDS} times`);
const rows: (string | number)[][] = [];
const gates: (() => void)[] = [];
for (const start of starters) {
  await using server = await start();
  const { name } = server;
  const { before, quiet, results } = await run(server);
  const [first, last] = [results[0], results.at(-1)] as [Round, Round];
  const perConnection = (last.full.residentBytes - before.residentBytes) / connections;
  rows.push([
    name,
    mebibytes(before.residentBytes),
    results.map(({ full }) => mebibytes(full.residentBytes)).join(", "),
    kibibytes(perConnection),
    kibibytes((last.full.heapBytes - before.heapBytes) / connections),
    results.map(({ after }) => mebibytes(after.residentBytes)).join(", "),
    `${mebibytes(before.heapBytes)}, ${results.map(({ after }) => mebibytes(after.heapBytes)).join(", ")}`,
    formatLatency(quiet),
    formatLatency(last.busy),
  ]);
  if (name.startsWith("raw")) continue;
  const addGate = (holds: boolean, text: string): void =>
    void gates.push(() => gate(holds, `${name}: ${text}`));
  const total = (value: (round: Round) => number): number =>
    results.reduce((sum, round) => sum + value(round), 0);
  addGate(
    total(({ replyCount }) => replyCount) === connections * ROUNDS,
    `all ${connections} clients got a reply, ${ROUNDS} times`,
  );
  addGate(total(({ closedEarly }) => closedEarly) === 0, "no connection was closed before the limit");
  const longestMs = Math.max(...results.map((round) => round.longestMs));
  addGate(
    total(({ remaining }) => remaining) === 0 && longestMs <= IDLE_SECS * 1000 + GRACE_MS,
    `each connection was closed within ${IDLE_SECS} + ${GRACE_MS / 1000} s: the last after ${(longestMs / 1000).toFixed(1)} s, ${total(({ remaining }) => remaining)} remaining`,
  );
  addGate(
    total(({ withExtraBytes }) => withExtraBytes) === 0,
    "no connection received anything after its reply",
  );
  addGate(
    results.every(({ busy }) => busy.failed === 0),
    `other clients were served: ${total(({ busy }) => busy.requests)} requests, ${total(({ busy }) => busy.failed)} failed`,
  );
  const [withoutIdle, withIdle] = [quiet.median, last.busy.median];
  addGate(
    withIdle <= withoutIdle * 1.5 || withIdle - withoutIdle < 1,
    `median latency of other clients: ${withIdle.toFixed(2)} ms, ${withoutIdle.toFixed(2)} ms without idle connections; at most 1.5 times that, or 1 ms more`,
  );
  const growth = last.after.heapBytes - first.after.heapBytes;
  addGate(
    growth < 2 * 1024 * 1024,
    `the heap does not grow from the first to the second round: ${mebibytes(growth)} MiB more, under 2`,
  );
  const firstGrowth = first.full.residentBytes - before.residentBytes;
  // Closing also allocates memory, which stays resident after its collection.
  const residentAfterFirst = Math.max(first.full.residentBytes, first.after.residentBytes);
  const secondGrowth = last.full.residentBytes - residentAfterFirst;
  addGate(
    secondGrowth < firstGrowth / 2,
    `the second round reuses the memory of the first: ${mebibytes(secondGrowth)} MiB more, under half of ${mebibytes(firstGrowth)}`,
  );
  addGate(last.after.open <= 1, `no connection remains open: ${last.after.open - 1}`);
  addGate(
    otherHandles(last.after) <= otherHandles(before),
    `other handles are flat: ${otherHandles(before)}, then ${otherHandles(last.after)}`,
  );
}
printTable(
  [
    "Server",
    "resident MiB without idle connections",
    "resident MiB with them",
    "resident KiB per connection",
    "heap KiB per connection",
    "resident MiB after closing",
    "heap MiB before, after",
    "latency of other clients without idle connections, ms (median / p99 / maximum)",
    "latency of other clients with them, ms",
  ],
  rows,
);
for (const check of gates) check();
