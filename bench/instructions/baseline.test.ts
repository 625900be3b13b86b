import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import {
  type Counted,
  compareWithBaseline,
  needsReference,
  readBaseline,
  reasonForRatiosOnly,
  writeBaseline,
} from "./baseline.ts";
import { gateJobs, REFERENCE } from "./subjects.ts";

const counted = (cells: Readonly<Record<string, number>>, machine: Partial<Counted> = {}): Counted => ({
  instrument: "valgrind",
  node: "v26.1.0",
  arch: "x64",
  ...machine,
  cells: Object.fromEntries(
    Object.entries(cells).map(([cell, instructions]) => [
      cell,
      { instructions, misses: instructions / 10, low: instructions, high: instructions },
    ]),
  ),
});

const baseline = counted({ "raw json": 50_000, "fast json": 20_000, "node json": 60_000 });

const failures = (now: Counted, before = baseline): string[] =>
  compareWithBaseline(now, before)
    .filter(({ holds }) => !holds)
    .map(({ cell, metric }) => `${cell}: ${metric}`);

test("a cell may cost 4 % more than its baseline, but not 6 %", () => {
  expect(failures(counted({ "raw json": 50_000, "fast json": 20_800, "node json": 62_400 }))).toEqual([]);
  expect(failures(counted({ "raw json": 50_000, "fast json": 21_200, "node json": 60_000 }))).toEqual([
    "fast json: instructions",
    "fast json: ratio to raw json",
  ]);
});

test("a cell may have 9 % more cache misses than its baseline, but not 11 %", () => {
  const [raw, before] = [
    counted({ "raw json": 50_000 }),
    counted({ "raw json": 50_000, "fast param": 20_000 }),
  ];
  const withMisses = (misses: number): Counted => ({
    ...raw,
    cells: { ...raw.cells, "fast param": { instructions: 20_000, misses, low: 20_000, high: 20_000 } },
  });
  expect(failures(withMisses(2_180), before)).toEqual([]);
  expect(failures(withMisses(2_220), before)).toEqual(["fast param: cache misses"]);
});

test("if raw becomes cheaper, a cell fails only by its ratio", () => {
  expect(failures(counted({ "raw json": 43_000, "fast json": 20_000 }))).toEqual([
    "fast json: ratio to raw json",
  ]);
});

test("if raw and a cell become more expensive by the same factor, the cell fails only by its instructions", () => {
  expect(failures(counted({ "raw json": 57_500, "fast json": 23_000 }))).toEqual(["fast json: instructions"]);
});

test("on another major version of Node or another architecture, only ratios are compared, with the reason", () => {
  for (const machine of [{ node: "v24.9.0" }, { arch: "arm64" }]) {
    const now = counted({ "raw json": 70_000, "fast json": 28_000 }, machine);
    expect(reasonForRatiosOnly(now, baseline)).toMatch(/^the baseline was counted on /);
    expect(compareWithBaseline(now, baseline).map(({ metric }) => metric)).toEqual(["ratio to raw json"]);
    expect(failures(now)).toEqual([]);
    expect(failures(counted({ "raw json": 70_000, "fast json": 31_000 }, machine))).toHaveLength(1);
  }
  expect(reasonForRatiosOnly(counted({}, { node: "v26.99.1" }), baseline)).toBeNull();
});

test("raw never fails, whatever it costs", () => {
  const now = counted({ "raw json": 90_000, "fast json": 20_000 });
  expect(compareWithBaseline(now, baseline).map(({ cell }) => cell)).toEqual(["fast json", "fast json"]);
  expect(failures(now)).toEqual([]);
});

test("raw need not be counted if the baseline has the same Node and instrument", () => {
  expect(needsReference(baseline, baseline)).toBe(false);
  expect(failures(counted({ "fast json": 20_800 }))).toEqual([]);
  expect(failures(counted({ "fast json": 21_200 }))).toEqual(["fast json: instructions"]);
});

test("a run with another Node, architecture or instrument needs raw, and every run needs a cell of the baseline", () => {
  for (const machine of [{ node: "v26.1.1" }, { arch: "arm64" }, { instrument: "other" }])
    expect(() => compareWithBaseline(counted({ "fast json": 20_000 }, machine), baseline)).toThrow(
      "raw json was not counted",
    );
  expect(() => compareWithBaseline(counted({ "raw json": 50_000, "fast other": 1 }), baseline)).toThrow(
    "none of the cells",
  );
});

test("reading a written baseline returns the same values", async () => {
  const folder = await mkdtemp(join(tmpdir(), "baseline-"));
  const file = join(folder, "baseline.json");
  await writeBaseline({ date: "2026-01-01", ...baseline }, file);
  expect(await readBaseline(file)).toEqual({ date: "2026-01-01", ...baseline });
  await rm(folder, { recursive: true });
});

test("the stored baseline has every cell that the gate counts, and the gate counts the reference", async () => {
  const cells = gateJobs.flatMap(({ subject, workloads }) =>
    workloads.map(({ name }) => `${subject.name} ${name}`),
  );
  expect(new Set(cells)).toEqual(
    new Set([REFERENCE, "fast json", "fast param", "fast varied", "fast echo", "node json"]),
  );
  expect(new Set(Object.keys((await readBaseline()).cells))).toEqual(new Set(cells));
});
