/**
 * Compares formatting and writing of access lines by `@framework/logging` with pino: the same members and destinations, alternately.
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
import { estimate, formatEstimate } from "../measure/statistics.ts";
import { type Access, type LineLogger, loggers } from "./loggers.ts";

const LINES = 4096;
const WARM_UP = 5;
/** Lines per turn of the event loop, as on a busy server. */
const LINES_PER_TURN = 16;

const context = { get: () => null };

/** Each request has a different path, id and latency, so that no memo applies. */
const accesses: readonly Access[] = Array.from({ length: LINES }, (_, at) => ({
  request: {
    method: "GET",
    path: `/books/${1000 + at}`,
    route: "/books/{id}",
    requestId: `5f0c9ab2-1e7d-4c1e-9f3a-0d52c4e8${1000 + at}`,
    clientIp: "203.0.113.9",
    context,
  } as unknown as HttpRequest, // only the members that a line reads
  outcome: {
    status: 200,
    latencyMs: 0.4 + at / 7000,
    bytes: 34,
    aborted: false,
    error: null,
    details: null,
  },
}));

/** Measures the processor time of all threads per line, in microseconds. */
const slice = async ({ write, flush }: LineLogger): Promise<number> => {
  const before = process.cpuUsage();
  for (let at = 0; at < LINES; at += LINES_PER_TURN) {
    for (let index = at; index < at + LINES_PER_TURN; index++) write(accesses[index] as Access);
    await turn();
  }
  await flush();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / LINES;
};

/** Verifies that all loggers write the same members. @throws if one differs from ours */
const verify = async (folder: string): Promise<void> => {
  const written: string[] = [];
  for (const [name, open] of Object.entries(loggers)) {
    const file = join(folder, "lines");
    const fd = openSync(file, "w");
    const logger = open(fd);
    for (const access of accesses.slice(0, 64)) logger.write(access);
    await turn();
    await logger.flush();
    closeSync(fd);
    const parsed = readFileSync(file, "utf8").trim().split("\n").map(normalise);
    written.push(JSON.stringify(parsed));
    if (written.at(-1) !== written[0]) throw new Error(`the lines of ${name} differ from ours`);
  }
};

const normalise = (line: string): unknown =>
  Object.entries({ ...(JSON.parse(line) as object), timestamp: "" }).sort(([a], [b]) => (a < b ? -1 : 1));

const measure = async (fd: number, rounds: number): Promise<ReadonlyMap<string, readonly number[]>> => {
  const samples = new Map<string, number[]>(Object.keys(loggers).map((name) => [name, []]));
  const opened = Object.entries(loggers).map(([name, open]) => [name, open(fd)] as const);
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const [name, logger] of round % 2 === 0 ? opened : opened.toReversed()) {
      const cost = await slice(logger);
      if (round >= 0) samples.get(name)?.push(cost);
    }
  }
  return samples;
};

const { values } = parseArgs({ options: { rounds: { type: "string", default: "40" } } });
const rounds = Number(values.rounds);
printTitle(`Access lines: µs of processor time per line, and the ratio to ours; ${rounds} rounds`);
using folder = mkdtempDisposableSync(join(tmpdir(), "bench-log-lines-"));
await verify(folder.path);
const reader = spawn("cat", { stdio: ["pipe", "ignore", "inherit"] });
const pipe = (reader.stdin as unknown as { readonly _handle: { readonly fd: number } })._handle.fd; // the file descriptor of the pipe, for which there is no public API
const destinations = {
  "/dev/null": openSync("/dev/null", "a"),
  file: openSync(join(folder.path, "lines"), "w"),
  pipe,
};
const cells = new Map<string, string[]>(Object.keys(loggers).map((name) => [name, []]));
for (const fd of Object.values(destinations)) {
  const samples = await measure(fd, rounds);
  const ours = samples.get("ours") ?? [];
  for (const [name, costs] of samples) {
    const ratio = estimate(costs.map((cost, round) => cost / (ours[round] ?? NaN)));
    cells.get(name)?.push(`${formatEstimate(estimate(costs), 2)}, ${formatEstimate(ratio, 2)}`);
  }
}
printTable(
  ["Logger", ...Object.keys(destinations)],
  [...cells].map(([name, row]) => [name, ...row]),
);
reader.stdin.end();
