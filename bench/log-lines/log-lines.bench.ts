/**
 * Compares the access lines of `@framework/logging`, and how they are written, with pino's: the same members, the same destinations, in turns.
 *
 *   bench:log-lines [--rounds 40]
 */
import { spawn } from "node:child_process";
import { closeSync, mkdtempDisposableSync, openSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { HttpRequest } from "@framework/core";
import { printTable, printTitle } from "../measure/report.ts";
import { estimate, shown } from "../measure/statistics.ts";
import { type Access, type Way, ways } from "./ways.ts";

const LINES = 4096;
const WARM_UP = 5;
/** Requests that are answered in one turn of the event loop, as on a busy server. */
const EACH_TURN = 16;

const context = { get: () => null };

/** Each request with a path, an id and a latency of its own, so that no memo of the line helps. */
const accesses: readonly Access[] = Array.from({ length: LINES }, (_, at) => ({
  request: {
    method: "GET",
    path: `/books/${1000 + at}`,
    route: "/books/{id}",
    requestId: `5f0c9ab2-1e7d-4c1e-9f3a-0d52c4e8${1000 + at}`,
    clientIp: "203.0.113.9",
    context,
  } as unknown as HttpRequest, // the members that a line reads
  outcome: {
    status: 200,
    latencyMs: 0.4 + at / 7000,
    bytes: 34,
    aborted: false,
    error: null,
    details: null,
  },
}));

/** Microseconds of processor time for a line, all threads. */
const slice = async ({ write, flushed }: Way): Promise<number> => {
  const before = process.cpuUsage();
  for (let at = 0; at < LINES; at += EACH_TURN) {
    for (let index = at; index < at + EACH_TURN; index++) write(accesses[index] as Access);
    await turn();
  }
  await flushed();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / LINES;
};

/** @throws when a way writes other members than ours */
const verify = async (folder: string): Promise<void> => {
  const written: string[] = [];
  for (const [name, open] of Object.entries(ways)) {
    const file = join(folder, "lines");
    const fd = openSync(file, "w");
    const way = open(fd);
    for (const access of accesses.slice(0, 64)) way.write(access);
    await turn();
    await way.flushed();
    closeSync(fd);
    const parsed = readFileSync(file, "utf8").trim().split("\n").map(normal);
    written.push(JSON.stringify(parsed));
    if (written.at(-1) !== written[0]) throw new Error(`${name} writes other lines than ours`);
  }
};

const normal = (line: string): unknown =>
  Object.entries({ ...(JSON.parse(line) as object), timestamp: "" }).sort(([a], [b]) => (a < b ? -1 : 1));

const measure = async (fd: number, rounds: number): Promise<ReadonlyMap<string, readonly number[]>> => {
  const samples = new Map<string, number[]>(Object.keys(ways).map((name) => [name, []]));
  const opened = Object.entries(ways).map(([name, open]) => [name, open(fd)] as const);
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const [name, way] of round % 2 === 0 ? opened : opened.toReversed()) {
      const cost = await slice(way);
      if (round >= 0) samples.get(name)?.push(cost);
    }
  }
  return samples;
};

const { values } = parseArgs({ options: { rounds: { type: "string", default: "40" } } });
const rounds = Number(values.rounds);
printTitle(`Access lines: µs of processor time for a line, and the ratio to ours; ${rounds} rounds`);
using folder = mkdtempDisposableSync(join(tmpdir(), "bench-log-lines-"));
await verify(folder.path);
const reader = spawn("cat", { stdio: ["pipe", "ignore", "inherit"] });
const pipe = (reader.stdin as unknown as { readonly _handle: { readonly fd: number } })._handle.fd; // the number of the pipe, which no public member gives
const destinations = {
  "/dev/null": openSync("/dev/null", "a"),
  file: openSync(join(folder.path, "lines"), "w"),
  pipe,
};
const cells = new Map<string, string[]>(Object.keys(ways).map((name) => [name, []]));
for (const fd of Object.values(destinations)) {
  const samples = await measure(fd, rounds);
  const ours = samples.get("ours") ?? [];
  for (const [name, costs] of samples) {
    const ratio = estimate(costs.map((cost, round) => cost / (ours[round] ?? NaN)));
    cells.get(name)?.push(`${shown(estimate(costs), 2)}, ${shown(ratio, 2)}`);
  }
}
printTable(
  ["Way", ...Object.keys(destinations)],
  [...cells].map(([name, row]) => [name, ...row]),
);
reader.stdin.end();
