/**
 * Proves that idle keep-alive connections cost a little memory and nothing else: thousands of clients make one request each and stay,
 * on the own transport, on the framework's `node:http` and on bare `node:http`; others are served meanwhile; all are closed at the limit.
 *
 *   pnpm bench:idle [connections]
 */
import { execSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { startProgram } from "@framework/testing";
import { ask } from "../client/ask.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { type Left, startService, transports } from "../soak/service-report.ts";
import { Crowd } from "./crowd.ts";
import { inWords, type Latency, measureLatency } from "./latency.ts";

const IDLE_SECS = 25;
/** From the limit to the end of a connection: a sweep comes once a second. */
const GRACE_MS = 2000;
/** For the clients to see it. */
const NOTICE_MS = 2000;
const ROUNDS = 2;
const PROBES = 8;

/** Node itself raises the limit on open files up to the system's; both programs need one for each connection. */
const files = Number(execSync("ulimit -Hn", { encoding: "utf8" })) || Infinity;
const wanted = Number(process.argv[2] ?? 10_000);
const connections = Math.min(wanted, files - 500);
if (connections < wanted)
  console.log(`only ${connections} connections: the system allows ${files} open files\n`);

interface Round {
  readonly answered: number;
  readonly full: Left;
  /** Connections the server still had when all should be gone, the asking one left out, and those that heard more than their reply. */
  readonly stayed: number;
  readonly disturbed: number;
  readonly closedEarly: number;
  readonly longestMs: number;
  readonly busy: Latency;
  readonly after: Left;
}

interface Contestant extends AsyncDisposable {
  readonly name: string;
  readonly port: number;
}

const run = async ({
  port,
}: Contestant): Promise<{ before: Left; quiet: Latency; seen: readonly Round[] }> => {
  const left = async (): Promise<Left> => (await ask(port, "/left")) as Left;
  const measured = async (ms: number): Promise<Latency> => {
    const ended = measureLatency(port, PROBES, 10);
    await pause(ms);
    return ended();
  };
  await measured(2000); // warms the server up
  const quiet = await measured(4000);
  await pause(500);
  const before = await left();
  const seen: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const crowd = new Crowd();
    const answered = await crowd.join(port, connections);
    const joined = performance.now();
    const full = await left();
    const busy = await measured(4000);
    const closedEarly = connections - crowd.open;
    await pause(IDLE_SECS * 1000 + GRACE_MS + NOTICE_MS - (performance.now() - joined));
    const stayed = crowd.open;
    const { disturbed, longestMs } = crowd;
    crowd.leave();
    await pause(1000);
    seen.push({ answered, full, stayed, disturbed, closedEarly, longestMs, busy, after: await left() });
  }
  return { before, quiet, seen };
};

const startRaw = async (): Promise<Contestant> => {
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

const contestants: readonly (() => Promise<Contestant>)[] = [
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
const others = ({ resources }: Left): number =>
  Object.entries(resources).reduce((sum, [kind, count]) => (kind === "TCPSocketWrap" ? sum : sum + count), 0);

printTitle(`${connections} idle keep-alive connections, closed after ${IDLE_SECS} s, ${ROUNDS} times`);
const rows: (string | number)[][] = [];
const gates: (() => void)[] = [];
for (const start of contestants) {
  await using contestant = await start();
  const { name } = contestant;
  const { before, quiet, seen } = await run(contestant);
  const [first, last] = [seen[0], seen.at(-1)] as [Round, Round];
  const perConnection = (last.full.residentBytes - before.residentBytes) / connections;
  rows.push([
    name,
    mebibytes(before.residentBytes),
    seen.map(({ full }) => mebibytes(full.residentBytes)).join(", "),
    kibibytes(perConnection),
    kibibytes((last.full.heapBytes - before.heapBytes) / connections),
    seen.map(({ after }) => mebibytes(after.residentBytes)).join(", "),
    `${mebibytes(before.heapBytes)}, ${seen.map(({ after }) => mebibytes(after.heapBytes)).join(", ")}`,
    inWords(quiet),
    inWords(last.busy),
  ]);
  if (name.startsWith("raw")) continue;
  const say = (holds: boolean, text: string): void => void gates.push(() => gate(holds, `${name}: ${text}`));
  const count = (of: (round: Round) => number): number => seen.reduce((sum, round) => sum + of(round), 0);
  say(
    count(({ answered }) => answered) === connections * ROUNDS,
    `all ${connections} clients were answered, ${ROUNDS} times`,
  );
  say(count(({ closedEarly }) => closedEarly) === 0, "none was closed before the limit");
  const longestMs = Math.max(...seen.map((round) => round.longestMs));
  say(
    count(({ stayed }) => stayed) === 0 && longestMs <= IDLE_SECS * 1000 + GRACE_MS,
    `each was closed within ${IDLE_SECS} + ${GRACE_MS / 1000} s: the last after ${(longestMs / 1000).toFixed(1)} s, ${count(({ stayed }) => stayed)} stayed`,
  );
  say(count(({ disturbed }) => disturbed) === 0, "none heard a word but its reply");
  say(
    seen.every(({ busy }) => busy.failed === 0),
    `others were served meanwhile: ${count(({ busy }) => busy.requests)} requests, ${count(({ busy }) => busy.failed)} failed`,
  );
  const [alone, beside] = [quiet.median, last.busy.median];
  say(
    beside <= alone * 1.5 || beside - alone < 1,
    `others waited ${beside.toFixed(2)} ms, and ${alone.toFixed(2)} ms without idle connections (medians); at most 1.5 times that, or 1 ms more`,
  );
  const growth = last.after.heapBytes - first.after.heapBytes;
  say(
    growth < 2 * 1024 * 1024,
    `the heap is as before the second crowd: ${mebibytes(growth)} MiB more, under 2`,
  );
  const taken = first.full.residentBytes - before.residentBytes;
  // Closing makes garbage of its own, which stays resident when it has been collected.
  const leftByFirst = Math.max(first.full.residentBytes, first.after.residentBytes);
  const again = last.full.residentBytes - leftByFirst;
  say(
    again < taken / 2,
    `the second crowd took the memory that the first had left: ${mebibytes(again)} MiB more, under half of ${mebibytes(taken)}`,
  );
  say(last.after.open <= 1, `no connection is left: ${last.after.open - 1}`);
  say(
    others(last.after) <= others(before),
    `other handles are flat: ${others(before)}, then ${others(last.after)}`,
  );
}
printTable(
  [
    "Server",
    "resident MiB without",
    "with",
    "resident KiB a connection",
    "heap KiB a connection",
    "resident MiB after",
    "heap MiB before, after",
    "others' wait alone, ms (median / p99 / longest)",
    "others' wait beside them",
  ],
  rows,
);
for (const say of gates) say();
