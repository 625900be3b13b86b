import { type Estimate, shown } from "../measure/statistics.ts";
import { titleOf } from "./contenders.ts";
import type { Cell, Gate, Report } from "./report.ts";
import { workloads } from "./workloads.ts";

/** A table: its first column is text, all others are numbers. */
export interface Table {
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Every table of a report, for the terminal and the README. */
export const tablesOf = (report: Report): Table[] =>
  [
    ratioTable(report),
    ...workloadTables(report),
    memoryTable(report),
    startTable(report),
    instructionTable(report),
    gateTable(report.gates),
  ].filter(({ rows }) => rows.length > 0);

const NONE = "–";
const cell = (estimate: Estimate | null | undefined, digits: number): string =>
  estimate === null || estimate === undefined ? NONE : shown(estimate, digits);

/** Distinct names in order of first occurrence. */
const distinct = (names: readonly string[]): string[] => [...new Set(names)];

const ratioTable = ({ cells }: Report): Table => {
  const used = distinct(cells.map(({ workload }) => workload));
  return {
    title: "CPU time of raw node:http divided by that of the server: above 1 is cheaper than raw",
    heads: ["Server", ...used.map(workloadTitle)],
    rows: distinct(cells.map(({ server }) => server)).map((server) => [
      titleOf(server),
      ...used.map((workload) => ratioCell(cells, workload, server)),
    ]),
  };
};

const ratioCell = (cells: readonly Cell[], workload: string, server: string): string => {
  const found = cells.find((one) => one.workload === workload && one.server === server);
  return server === "raw" && found !== undefined ? "1" : cell(found?.ratioToRaw, 2);
};

const workloadTitle = (name: string): string =>
  workloads.find((workload) => workload.name === name)?.title ?? name;

const workloadTables = ({ cells }: Report): Table[] =>
  distinct(cells.map(({ workload }) => workload)).map((workload) => ({
    title: workloadTitle(workload),
    heads: ["Server", "CPU µs", "to raw tuned", "requests/s", "p50 ms", "p99 ms", "p99 to raw"],
    rows: cells
      .filter((one) => one.workload === workload)
      .map((one) => [
        titleOf(one.server),
        cell(one.cpuMicros, 1),
        cell(one.ratioToTuned, 2),
        one.requestsPerSecond.median.toFixed(0),
        one.p50Ms.median.toFixed(2),
        one.p99Ms.median.toFixed(2),
        cell(one.p99ToRaw, 2),
      ]),
  }));

const megabytes = ({ median }: Estimate): string => (median / 1e6).toFixed(0);

const memoryTable = ({ memory }: Report): Table => ({
  title: "Resident memory of a fresh process, after a collection",
  heads: ["Server", "at start, MB", "after 20,000 requests, MB", "one idle connection, bytes"],
  rows: memory.map(({ server, startBytes, afterLoadBytes, idleConnectionBytes }) => [
    titleOf(server),
    megabytes(startBytes),
    megabytes(afterLoadBytes),
    cell(idleConnectionBytes, 0),
  ]),
});

const startTable = ({ starts }: Report): Table => ({
  title: "From the spawn of a program to listening",
  heads: ["Program", "ms", "over bare Node, ms"],
  rows: starts.map(({ program, ms, overBareMs }) => [program, cell(ms, 0), cell(overBareMs, 0)]),
});

const instructionTable = ({ instructions }: Report): Table => ({
  title: "Instructions in user space for one GET json",
  heads: ["Server", "instructions"],
  rows: instructions.map(({ server, perRequest }) => [titleOf(server), cell(perRequest, 0)]),
});

const gateTable = (gates: readonly Gate[]): Table => ({
  title: "Gates",
  heads: ["Gate", "result", "must", "stretch", "holds"],
  rows: gates.map((gate) => [
    gate.name,
    gate.ratio === null ? NONE : resultOf(gate),
    limit(gate, gate.must),
    limit(gate, gate.stretch),
    verdict(gate),
  ]),
});

const digitsOf = ({ must }: Gate): number => (must < 10 ? 2 : 0);

const resultOf = (gate: Gate): string => {
  const { ratio, low, high } = gate;
  return shown({ median: ratio ?? NaN, low: low ?? NaN, high: high ?? NaN, n: 0 }, digitsOf(gate));
};

const limit = ({ direction }: Gate, value: number): string => `${direction === "min" ? "≥" : "≤"} ${value}`;

const verdict = ({ pass, stretchPass }: Gate): string =>
  pass === null ? "not measured" : pass ? (stretchPass === true ? "yes, also stretch" : "yes") : "NO";
