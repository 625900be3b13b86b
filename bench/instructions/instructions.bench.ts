/**
 * Counts the user-space instructions and simulated cache misses of one request: metrics that do not depend on machine load.
 *
 *   bench:instructions                   counts every server with every workload
 *   bench:instructions --check           counts the gate's cells; fails if one exceeds its baseline by 5 % of instructions or 10 % of misses
 *   bench:instructions --check --plant   the same with a planted cost, which must fail
 *   bench:instructions --write           counts the gate's cells and stores them as the baseline
 */
import { parseArgs } from "node:util";
import { gate, printTable, printTitle } from "../measure/report.ts";
import {
  type Baseline,
  type Counted,
  compareWithBaseline,
  limits,
  needsReference,
  readBaseline,
  reasonForRatiosOnly,
  writeBaseline,
} from "./baseline.ts";
import { findInstrument } from "./callgrind.ts";
import { type Count, countSubject } from "./count.ts";
import { allJobs, baselineJobs, gateJobs, type Job, plantedJobs, REFERENCE } from "./subjects.ts";

/** Concurrently counted servers. */
const LANES = 2;

const countJobs = async (jobs: readonly Job[]): Promise<Record<string, Count>> => {
  const waiting = [...jobs];
  const cells = new Map<string, Count>();
  const lane = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const { subject, workloads, effort } = job;
      for (const [workload, count] of await countSubject(subject, workloads, effort)) {
        const cell = `${subject.name} ${workload}`;
        cells.set(cell, cheaper(cells.get(cell), count));
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const inOrder = jobs.flatMap(({ subject, workloads }) =>
    workloads.map(({ name }) => `${subject.name} ${name}`),
  );
  return Object.fromEntries(inOrder.map((cell) => [cell, cells.get(cell) as Count]));
};

/** Returns the lower of the counts of two processes of a server: V8 generates slightly different code in each process. */
const cheaper = (first: Count | undefined, second: Count): Count => {
  if (first === undefined) return second;
  const { misses } = first.misses < second.misses ? first : second;
  return { ...(first.instructions < second.instructions ? first : second), misses };
};

const describeMachine = (instrument: string): Omit<Counted, "cells"> => ({
  instrument,
  node: process.version,
  arch: process.arch,
});

const countAll = async (name: string, jobs: readonly Job[]): Promise<Counted> => ({
  ...describeMachine(name),
  cells: await countJobs(jobs),
});

const printCells = (now: Counted, before: Baseline | null): void => {
  const raw = (now.cells[REFERENCE] ?? before?.cells[REFERENCE])?.instructions ?? NaN;
  const change = (is: number, was: number | undefined): string =>
    was === undefined ? "" : `${((is / was - 1) * 100).toFixed(1)} %`;
  const rows = Object.entries(now.cells).map(([cell, { instructions, misses, low, high }]) => {
    const was = before?.cells[cell];
    return [
      cell,
      `${instructions} [${low}–${high}]`,
      (instructions / raw).toFixed(3),
      change(instructions, was?.instructions),
      String(misses),
      change(misses, was?.misses),
    ];
  });
  printTable(
    [
      "Server, workload",
      "instructions [windows]",
      `ratio to ${REFERENCE}`,
      "change from the baseline",
      "cache misses",
      "change from the baseline",
    ],
    rows,
  );
};

/** Number of processes in which a server over its limit is counted before the check fails. */
const PROCESSES = 3;

/** Counts the servers over their limits again, in new processes. */
const countAgain = async (first: Counted, before: Baseline, jobs: readonly Job[]): Promise<Counted> => {
  const failed = compareWithBaseline(first, before).filter(({ holds }) => !holds);
  if (failed.length === 0) return first;
  console.log(`Counting again: ${failed.map(({ cell, metric }) => `${cell} (${metric})`).join(", ")}\n`);
  const repeatedJobs = jobs.filter(({ subject }) =>
    failed.some(({ cell }) => cell.startsWith(`${subject.name} `)),
  );
  const cells = { ...first.cells };
  for (const [cell, count] of Object.entries(await countJobs(repeatedJobs)))
    cells[cell] = cheaper(cells[cell], count);
  return { ...first, cells };
};

const check = async (name: string, checkJobs: readonly Job[]): Promise<void> => {
  const before = await readBaseline();
  const jobs = needsReference(describeMachine(name), before)
    ? checkJobs
    : checkJobs.filter(({ subject }) => !REFERENCE.startsWith(`${subject.name} `));
  let now = await countAll(name, jobs);
  for (let processes = 1; processes < PROCESSES; processes++) now = await countAgain(now, before, jobs);
  printCells(now, before);
  const reason = reasonForRatiosOnly(now, before);
  if (reason !== null) console.log(`Only ratios are compared: ${reason}`);
  for (const { cell, metric, was, is, holds } of compareWithBaseline(now, before)) {
    const digits = metric === "ratio to raw json" ? 3 : 0;
    const percent = Math.round((limits[metric] - 1) * 100);
    gate(holds, `${cell}: ${metric} ${is.toFixed(digits)}, at most ${percent} % over ${was.toFixed(digits)}`);
  }
};

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  options: { check: { type: "boolean" }, plant: { type: "boolean" }, write: { type: "boolean" } },
});
const { name, reason } = findInstrument();
printTitle("User-space instructions and cache misses for one request");
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const start = performance.now();
if (name === null) {
  console.log(`Skipped: ${reason}`);
} else if (values.check === true) {
  await check(name, values.plant === true ? plantedJobs : gateJobs);
} else {
  const now = await countAll(name, values.write === true ? baselineJobs : allJobs);
  printCells(now, await readBaseline().catch(() => null));
  if (values.write === true) await writeBaseline({ date: new Date().toISOString().slice(0, 10), ...now });
}
console.log(`${((performance.now() - start) / 1000).toFixed(0)} s`);
