import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { Report } from "./report.ts";

const { NODE_OPTIONS: _, ...env } = process.env;

const bench = async (...flags: readonly string[]): Promise<{ code: number | null; output: string }> => {
  const program = join(import.meta.dirname, "compare.bench.ts");
  const child = spawn(process.execPath, ["--conditions=@framework/source", program, ...flags], { env });
  let output = "";
  child.stdout.on("data", (piece: Buffer) => (output += piece.toString()));
  child.stderr.on("data", (piece: Buffer) => (output += piece.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
};

test("a small run writes a report and a plot, and exits with 1 only if a gate fails", async () => {
  const out = mkdtempSync(join(tmpdir(), "bench-compare-"));
  try {
    const flags = ["--servers=raw,fast", "--only=json,mw5", "--rounds=2", "--requests=0.05", `--out=${out}`];
    const { code, output } = await bench(...flags);
    const report = JSON.parse(readFileSync(join(out, "partial.json"), "utf8")) as Report;
    expect(report).toMatchObject({ quick: false, partial: true, rounds: 2 });
    expect(report.command).toContain("--servers=raw,fast");
    expect(report.cells.map(({ workload, server }) => `${workload} ${server}`)).toEqual([
      "json raw",
      "json fast",
      "mw5 raw",
      "mw5 fast",
    ]);
    for (const { cpuMicros, ratioToRaw, p50Ms, p99Ms } of report.cells) {
      expect(cpuMicros).toMatchObject({ n: 2 });
      expect(cpuMicros.low).toBeGreaterThan(0);
      expect(ratioToRaw?.median).toBeGreaterThan(0);
      expect(p99Ms.median).toBeGreaterThanOrEqual(p50Ms.median);
    }
    const measured = report.gates.filter(({ pass }) => pass !== null).map(({ name }) => name);
    expect(measured).toEqual(["get-json", "five-middlewares", "p99-vs-raw"]);
    expect(code).toBe(report.gates.some(({ pass }) => pass === false) ? 1 : 0);
    expect(readFileSync(join(out, "partial.svg"), "utf8")).toContain("framework, fast");
    expect(output).toContain("| framework, fast |");
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
});

test("an unknown server is rejected before anything is measured", async () => {
  const { code, output } = await bench("--servers=raw,fats");
  expect(code).toBe(1);
  expect(output).toContain("unknown server fats; servers: raw, tuned, fast");
});
