/**
 * Measures the cost of each feature package per request: one process per package, the app with it and the app without it alternately.
 *
 *   pnpm --filter @framework/bench run bench:features [packages] [--rounds 150]
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { startMember } from "../compare/fleet.ts";
import { slice } from "../compare/slice.ts";
import { verify } from "../workloads/verify.ts";
import { workloads } from "../workloads/workloads.ts";
import { printTable, printTitle } from "../measure/report.ts";
import { selectNames } from "../measure/select-names.ts";
import { estimate, type Estimate, median, formatEstimate } from "../measure/statistics.ts";
import { featureCases } from "./feature-cases.ts";
import type { FeatureCost } from "./measure-feature.ts";

/** Measures the processor time of a complete `GET` of a small object over a socket, without features, in microseconds: the base of percentages. */
const measureRequest = async (): Promise<number> => {
  const workload = workloads.find(({ name }) => name === "json");
  if (workload === undefined) throw new Error("there is no workload json");
  await using member = await startMember({
    name: "fast",
    title: "framework, fast",
    file: "framework.ts",
    args: ["--transport=fast"],
  });
  const shot = await verify("fast", member.port, workload);
  await slice(member, workload, shot, 20_000);
  const costs: number[] = [];
  for (let round = 0; round < 9; round++) costs.push((await slice(member, workload, shot, 3000)).cpuMicros);
  return median(costs);
};

const measureCost = (name: string, rounds: string): FeatureCost => {
  const program = new URL("./measure-feature.ts", import.meta.url).pathname;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@framework/source", program, name, rounds],
    { encoding: "utf8", env: { ...process.env, NODE_ENV: "production" } },
  );
  const last = stdout.trim().split("\n").at(-1) ?? "";
  if (status !== 0) throw new Error(`${name}: ${stderr || stdout}`);
  return JSON.parse(last) as FeatureCost;
};

const inMicros = ({ median: middle, low, high, n }: Estimate): Estimate => ({
  median: middle / 1000,
  low: low / 1000,
  high: high / 1000,
  n,
});

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "150" } },
});
const known = featureCases.map((one) => one.package);
const selectedNames = positionals.length === 0 ? known : selectNames("package", positionals, known);
const chosen = featureCases.filter((one) => selectedNames.includes(one.package));
printTitle(`Cost of features per request, median of ${values.rounds} rounds with a 95 % interval`);
const before = await measureRequest();
const costs = chosen.map((one) => ({ ...one, cost: measureCost(one.package, values.rounds) }));
const requestMicros = estimate([before, await measureRequest()]).median;
printTable(
  ["Package", "request", "µs added", `% of a whole request (${requestMicros.toFixed(1)} µs)`],
  costs.map(({ package: name, description, cost }) => [
    name,
    description,
    formatEstimate(inMicros(cost.added), 2),
    Math.max(0, (cost.added.median / 1000 / requestMicros) * 100).toFixed(0),
  ]),
);
