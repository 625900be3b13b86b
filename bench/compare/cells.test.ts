import { expect, test } from "@jest/globals";
import { cellsOf } from "./cells.ts";
import type { Round } from "./rounds.ts";

const cost = (cpuMicros: number, p99: number) => ({
  cpuMicros,
  userMicros: cpuMicros * 0.75,
  kernelMicros: cpuMicros * 0.25,
  requestsPerSecond: 1000,
  p50: 1,
  p99,
});

test("a ratio is computed within each round, not between medians", () => {
  const rounds: Round[] = [
    new Map([
      ["raw", cost(40, 4)],
      ["fast", cost(10, 2)],
    ]),
    new Map([
      ["raw", cost(90, 9)],
      ["fast", cost(30, 3)],
    ]),
    new Map([
      ["raw", cost(20, 2)],
      ["fast", cost(20, 1)],
    ]),
  ];
  const [raw, fast] = cellsOf("json", rounds);
  expect(raw?.ratioToRaw?.median).toBe(1);
  expect(fast?.ratioToRaw).toMatchObject({ median: 3, low: 1, high: 4, n: 3 }); // medians of 40 and 20 would make it 2
  expect(fast?.p99ToRaw?.median).toBe(0.5);
  expect(fast?.cpuMicros.median).toBe(20);
  expect(fast).toMatchObject({ userMicros: { median: 15 }, kernelMicros: { median: 5 } });
  expect(raw?.ratioOfFast?.median).toBe(3);
});

test("without a measured baseline there is no ratio", () => {
  const [fast] = cellsOf("json", [new Map([["fast", cost(10, 1)]])]);
  expect(fast).toMatchObject({ workload: "json", server: "fast", ratioToRaw: null, ratioToTuned: null });
});
