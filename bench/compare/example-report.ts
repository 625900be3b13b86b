import type { Estimate } from "../measure/statistics.ts";
import { evaluateGates } from "./gates.ts";
import type { Cell, Measurements, Report } from "./report.ts";

const around = (median: number): Estimate => ({ median, low: median * 0.95, high: median * 1.05, n: 20 });

const cell = (workload: string, server: string, ratio: number): Cell => ({
  workload,
  server,
  cpuMicros: around(40 / ratio),
  userMicros: around(30 / ratio),
  kernelMicros: around(10 / ratio),
  ratioToRaw: around(ratio),
  ratioToTuned: around(ratio / 1.2),
  ratioOfFast: around(1.8 / ratio),
  requestsPerSecond: around(25_000 * ratio),
  p50Ms: around(2 / ratio),
  p99Ms: around(4 / ratio),
  p99ToRaw: around(1 / ratio),
});

const measurements: Measurements = {
  cells: ["json", "param", "echo", "mw5"].flatMap((workload) => [
    cell(workload, "raw", 1),
    cell(workload, "fast", 1.8),
    cell(workload, "fastify", 0.9),
  ]),
  memory: [
    {
      server: "fast",
      startBytes: around(5e7),
      afterLoadBytes: around(6e7),
      idleConnectionBytes: around(2800),
    },
  ],
  starts: [{ program: "framework, fast", ms: around(60), overBareMs: around(30) }],
  listening: { booksMs: around(600), bareMs: around(500), toBare: around(1.2) },
  instructions: [{ server: "fast", perRequest: around(52_000) }],
};

/** A report with invented numbers, for tests. */
export const exampleReport: Report = {
  date: "2026-01-02T03:04:05.000Z",
  command: "pnpm bench",
  quick: false,
  partial: false,
  seconds: 720,
  machine: {
    cpu: "Example & Sons",
    cores: 2,
    memoryBytes: 8e9,
    system: "linux 6.1 x64",
    pinned: true,
    steal: 0.012,
  },
  versions: { node: "26.0.0", v8: "14.0", fastify: "5.0.0" },
  rounds: 20,
  promisedRounds: 40,
  fleets: 4,
  warmUp: 12_000,
  gatedWarmUp: 40_000,
  ...measurements,
  gates: evaluateGates(measurements),
};
