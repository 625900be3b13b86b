import { expect, test } from "@jest/globals";
import type { Estimate } from "../measure/statistics.ts";
import { anyFails, evaluateGates } from "./gates.ts";
import type { Cell, Measurements, Gate } from "./report.ts";

const around = (median: number): Estimate => ({ median, low: median * 0.9, high: median * 1.1, n: 9 });

const cell = (workload: string, server: string, ratio: number, p99 = 1, ratioOfFast = 1): Cell => ({
  workload,
  server,
  cpuMicros: around(20),
  userMicros: around(15),
  kernelMicros: around(5),
  ratioToRaw: around(ratio),
  ratioToTuned: around(ratio * 0.8),
  ratioOfFast: around(ratioOfFast),
  requestsPerSecond: around(50_000),
  p50Ms: around(1),
  p99Ms: around(2),
  p99ToRaw: around(p99),
});

const nothing: Measurements = { cells: [], memory: [], starts: [], instructions: [], listening: null };

const evaluateGate = (measurements: Partial<Measurements>, name: string): Gate | undefined =>
  evaluateGates({ ...nothing, ...measurements }).find((gate) => gate.name === name);

test("a ratio equal to `must` passes, a lower one fails", () => {
  expect(evaluateGate({ cells: [cell("json", "fast", 1.7)] }, "get-json")).toMatchObject({
    ratio: 1.7,
    low: expect.closeTo(1.53),
    high: expect.closeTo(1.87),
    must: 1.7,
    stretch: 2,
    direction: "min",
    pass: true,
    stretchPass: false,
  });
  expect(evaluateGate({ cells: [cell("json", "fast", 1.69)] }, "get-json")?.pass).toBe(false);
  expect(evaluateGate({ cells: [cell("json", "fast", 2.1)] }, "get-json")?.stretchPass).toBe(true);
});

test("async handlers may cost at most 5 % more than synchronous ones", () => {
  const gate = "async-to-sync-get-json";
  expect(evaluateGate({ cells: [cell("json", "async", 1, 1, 1.05)] }, gate)).toMatchObject({
    pass: true,
    stretchPass: false,
  });
  expect(evaluateGate({ cells: [cell("json", "async", 1, 1, 1.06)] }, gate)?.pass).toBe(false);
});

test("a maximum passes at `must` and fails above it", () => {
  const memory = (bytes: number) => [
    {
      server: "fast",
      startBytes: around(5e7),
      afterLoadBytes: around(6e7),
      idleConnectionBytes: around(bytes),
    },
  ];
  expect(evaluateGate({ memory: memory(4096) }, "idle-connection-bytes")).toMatchObject({
    direction: "max",
    pass: true,
  });
  expect(evaluateGate({ memory: memory(4097) }, "idle-connection-bytes")?.pass).toBe(false);
  expect(evaluateGate({ cells: [cell("json", "fast", 1, 0.91)] }, "p99-vs-raw")?.pass).toBe(false);
  expect(evaluateGate({ cells: [cell("json", "fast", 1, 0.6)] }, "p99-vs-raw")?.stretchPass).toBe(true);
});

test("each gate uses the result of its own workload and server", () => {
  const cells = [
    cell("json", "fast", 2.5),
    cell("json", "node", 1.1),
    cell("json", "async", 2.4, 1, 1.01),
    cell("param", "async", 2.3, 1, 1.02),
    cell("echo", "async", 2.2, 1, 1.03),
    cell("varied", "fast", 1.6),
    cell("varied", "node", 0.9),
    cell("echo", "node", 1.05),
    cell("param", "fast", 2.4),
    cell("echo", "fast", 2.3),
    cell("mw5", "fast", 2.2),
    cell("jwt", "raw", 1, 1, 1.1),
    cell("jwt", "express", 1, 1, 1.6),
    cell("jwt", "hono", 1, 1, 1.3),
    cell("jwt", "fast", 1, 1, 1),
    cell("limited", "fastify", 1, 1, 0.9), // counts in each worker separately
    cell("limited", "express", 1, 1, 1.4),
  ];
  const listening = { booksMs: around(550), bareMs: around(500), toBare: around(1.1) };
  const starts = [{ program: "framework, fast", ms: around(60), overBareMs: around(30) }];
  const instructions = [{ server: "fast", perRequest: around(50_000) }];
  const ratios = Object.fromEntries(
    evaluateGates({ ...nothing, cells, starts, instructions, listening }).map(({ name, ratio }) => [
      name,
      ratio,
    ]),
  );
  expect(ratios).toEqual({
    "get-json": 2.5,
    "get-param-validated": 2.4,
    "post-validated": 2.3,
    "five-middlewares": 2.2,
    "get-json-vs-raw-tuned": 2,
    "node-transport-get-json": 1.1,
    "node-transport-post-validated": 1.05,
    "node-transport-varied": 0.9,
    "async-to-sync-get-json": 1.01,
    "async-to-sync-get-param-validated": 1.02,
    "async-to-sync-post-validated": 1.03,
    "p99-vs-raw": 1,
    "user-instructions-get-json": 50_000,
    "idle-connection-bytes": null,
    "start-ms-over-bare-node": 30,
    "listening-four-workers-vs-bare": 1.1,
    "mw5varied-vs-best-peer": null,
    "jwt-vs-best-peer": 1.3,
    "jwt-new-vs-best-peer": null,
    "cached-vs-best-peer": null,
    "limited-vs-best-peer": 1.4,
    "limited-many-vs-best-peer": null,
    "row-sqlite-vs-best-peer": null,
    "row-postgres-vs-best-peer": null,
    "websocket-vs-best-peer": null,
  });
});

test("an unmeasured gate neither passes nor fails the run", () => {
  const gates = evaluateGates(nothing);
  expect(new Set(gates.map(({ pass }) => pass))).toEqual(new Set([null]));
  expect(anyFails(gates)).toBe(false);
  expect(anyFails(evaluateGates({ ...nothing, cells: [cell("json", "fast", 1)] }))).toBe(true);
});
