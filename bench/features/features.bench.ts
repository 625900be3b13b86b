/**
 * What each feature package adds to a request, each in a process of its own, the app with it and the app without it in turns.
 *
 *   pnpm --filter @framework/bench run bench:features [packages] [--rounds 150]
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { startMember } from "../compare/fleet.ts";
import { slice } from "../compare/slice.ts";
import { verify } from "../compare/verify.ts";
import { workloads } from "../compare/workloads.ts";
import { printTable, printTitle } from "../measure/report.ts";
import { estimate, type Estimate, median, shown } from "../measure/statistics.ts";
import { featureCases } from "./feature-cases.ts";
import type { FeatureCost } from "./measure-feature.ts";

/** Microseconds of processor time of a whole `GET` of a small object over a socket, without features: what a share is made of. */
const wholeRequest = async (): Promise<number> => {
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

const costOf = (name: string, rounds: string): FeatureCost => {
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
const chosen =
  positionals.length === 0 ? featureCases : featureCases.filter((one) => positionals.includes(one.package));
printTitle(`What features add to a request, median of ${values.rounds} rounds with a 95 % interval`);
const before = await wholeRequest();
const costs = chosen.map((one) => ({ ...one, cost: costOf(one.package, values.rounds) }));
const whole = estimate([before, await wholeRequest()]).median;
printTable(
  ["Package", "what is asked", "µs added", `% of a whole request (${whole.toFixed(1)} µs)`],
  costs.map(({ package: name, what, cost }) => [
    name,
    what,
    shown(inMicros(cost.added), 2),
    Math.max(0, (cost.added.median / 1000 / whole) * 100).toFixed(0),
  ]),
);
