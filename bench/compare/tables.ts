import { type Estimate, formatEstimate } from "../measure/statistics.ts";
import { bestPeer } from "./best-peer.ts";
import { titleOf } from "./contenders.ts";
import type { Cell, Gate, Report } from "./report.ts";
import { type Workload, workloads } from "../workloads/workloads.ts";

/** A table: its first column is text, the others are numbers. */
export interface Table {
  readonly title: string;
  readonly heads: readonly string[];
  /** Indices of further text columns. */
  readonly texts?: readonly number[];
  readonly rows: readonly (readonly string[])[];
}

/** Returns every table of a report, for the terminal and the page, with the medians of the previous run if there is one. */
export const tablesOf = (report: Report, before: Report | null = null): Table[] =>
  [
    bestPeerTable(report, before),
    ratioTable(report, before),
    ...workloadTables(report, before),
    memoryTable(report),
    startTable(report),
    listeningTable(report),
    instructionTable(report),
    gateTable(report.gates),
  ].filter(({ rows }) => rows.length > 0);

const NONE = "–";
const cell = (estimate: Estimate | null | undefined, digits: number): string =>
  estimate === null || estimate === undefined ? NONE : formatEstimate(estimate, digits);

/** Distinct names in order of first occurrence. */
const distinct = (names: readonly string[]): string[] => [...new Set(names)];

/** Measured workloads, in the order of their definition. */
const measured = ({ cells }: Report): Workload[] =>
  workloads.filter(({ name }) => cells.some(({ workload }) => workload === name));

const find = (report: Report | null, workload: string, server: string): Cell | undefined =>
  report?.cells.find((one) => one.workload === workload && one.server === server);

const median = (estimate: Estimate | null | undefined): string => estimate?.median.toFixed(2) ?? NONE;

const bestPeerTable = (report: Report, before: Report | null): Table => ({
  title:
    "CPU time of the best peer divided by that of the framework on its fast transport: above 1 the framework is cheaper",
  heads: ["Row", "this run", "previous run", "best peer", "cached between requests"],
  texts: [3, 4],
  rows: measured(report).flatMap(({ name, title, cached = NONE }) => {
    const best = bestPeer(report.cells, name);
    if (best === null) return [];
    const earlier = find(before, name, best.server)?.ratioOfFast;
    return [[title, cell(best.ratio, 2), median(earlier), titleOf(best.server), cached]];
  }),
});

const ratioTable = (report: Report, before: Report | null): Table => {
  const servers = distinct(report.cells.map(({ server }) => server));
  return {
    title: `CPU time of raw node:http divided by that of the server: above 1 is cheaper than raw${before === null ? "" : "; after the slash, the previous run"}`,
    heads: ["Row", ...servers.map(titleOf)],
    rows: measured(report).map(({ name, title }) => [
      title,
      ...servers.map((server) => ratioCell(find(report, name, server), before && find(before, name, server))),
    ]),
  };
};

const ratioCell = (found: Cell | undefined, earlier: Cell | null | undefined): string => {
  if (found === undefined) return NONE;
  if (found.server === "raw") return "1";
  return earlier === null || earlier === undefined
    ? median(found.ratioToRaw)
    : `${median(found.ratioToRaw)} / ${median(earlier.ratioToRaw)}`;
};

const workloadTables = (report: Report, before: Report | null): Table[] =>
  measured(report).map(({ name, title }) => ({
    title,
    heads: [
      "Server",
      "user µs",
      "kernel µs",
      "CPU, raw / this",
      "previous run",
      "requests/s",
      "p50 ms",
      "p99 ms",
      "p99, this / raw",
    ],
    rows: report.cells
      .filter((one) => one.workload === name)
      .map((one) => [
        titleOf(one.server),
        cell(one.userMicros, 1),
        cell(one.kernelMicros, 1),
        cell(one.ratioToRaw, 2),
        median(find(before, name, one.server)?.ratioToRaw),
        one.requestsPerSecond.median.toFixed(0),
        one.p50Ms.median.toFixed(2),
        one.p99Ms.median.toFixed(2),
        cell(one.p99ToRaw, 2),
      ]),
  }));

const megabytes = ({ median }: Estimate): string => (median / 1e6).toFixed(0);

const memoryTable = ({ memory }: Report): Table => ({
  title: "Resident memory of a fresh process, after a garbage collection",
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

const listeningTable = ({ listening }: Report): Table => ({
  title: "From the spawn of four workers until all of them listen, in production",
  heads: ["Program", "ms", "this / bare Node"],
  rows:
    listening === null
      ? []
      : [
          ["bare node:http in node:cluster", cell(listening.bareMs, 0), "1"],
          ["books, the reference application", cell(listening.booksMs, 0), cell(listening.toBare, 2)],
        ],
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
  return formatEstimate({ median: ratio ?? NaN, low: low ?? NaN, high: high ?? NaN, n: 0 }, digitsOf(gate));
};

const limit = ({ direction }: Gate, value: number): string => `${direction === "min" ? "≥" : "≤"} ${value}`;

const verdict = ({ pass, stretchPass }: Gate): string =>
  pass === null ? "not measured" : pass ? (stretchPass === true ? "yes, also stretch" : "yes") : "NO";
