/**
 * Counts the user-space instructions that traces, metrics, and both add to a request over a socket, at sampling rates of 0 and 1, compared with a server without
 * `@framework/telemetry`. The counts do not depend on machine load, and include garbage collections and exports. At low rates above 0, such as 0.1, V8 still
 * optimizes code of sampled requests during the counted windows, so those counts include unoptimized code.
 *
 *   pnpm --filter @framework/bench run bench:telemetry:count [--sampling 0,1] [--only none,off,traces,metrics,both] [--requests json,echo]
 */
import { parseArgs } from "node:util";
import { workloads } from "../workloads/workloads.ts";
import { findInstrument } from "../instructions/callgrind.ts";
import { type Count, countSubject, type Effort } from "../instructions/count.ts";
import { selectNames } from "../measure/select-names.ts";
import { startServer } from "../measure/server.ts";
import { printTable, printTitle } from "../measure/report.ts";
import { type Mode, modes, selectModes } from "./modes.ts";

/** Flags for early optimization, so that a short warm-up suffices. */
const nodeArgs = ["--invocation-count-for-maglev=100", "--invocation-count-for-turbofan=400"];

/** Each window contains several exports of spans. */
const effort: Effort = {
  passes: 2,
  warmUp: 2048,
  windows: 4,
  requests: 2560,
  estimate: (windows) => Math.round(windows.reduce((sum, each) => sum + each, 0) / windows.length),
};

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  options: {
    sampling: { type: "string", default: "0,1" },
    only: { type: "string", default: modes.join(",") },
    requests: { type: "string", default: "json,echo" },
  },
});
const selectedModes = selectModes(values.only.split(","));
const selectedNames = selectNames(
  "request",
  values.requests.split(","),
  workloads.map(({ name }) => name),
);
const selectedWorkloads = workloads
  .filter(({ name }) => selectedNames.includes(name))
  .map((workload) => {
    const { rejected: _, ...sent } = workload; // the server does not validate input
    return sent;
  });
const { name: counter, reason } = findInstrument();
if (counter === null) throw new Error(reason);
await using collector = await startServer("otlp-collector.ts");

/** Returns the sampling rates to count; metrics do not depend on them. */
const ratesOf = (mode: Mode): readonly string[] =>
  mode === "traces" || mode === "both" ? values.sampling.split(",") : [""];

const rows: string[][] = [];
let baseline: ReadonlyMap<string, Count> | null = null;
for (const mode of selectedModes) {
  for (const sampling of ratesOf(mode)) {
    const args = [`--telemetry=${mode}`, `--collector=${collector.port}`, `--sampling=${sampling || 0}`];
    const name = sampling === "" ? mode : `${mode} at ${sampling}`;
    const counts = await countSubject(
      { name, file: "framework-telemetry.ts", args, nodeArgs },
      selectedWorkloads,
      effort,
    );
    baseline ??= counts;
    rows.push([
      name,
      ...selectedWorkloads.flatMap((workload) => {
        const { instructions, low, high } = counts.get(workload.name) ?? {
          instructions: NaN,
          low: NaN,
          high: NaN,
        };
        const base = baseline?.get(workload.name)?.instructions ?? NaN;
        return [
          `${instructions} [${low}–${high}]`,
          `${instructions - base}`,
          (base / instructions).toFixed(3),
        ];
      }),
    ]);
    console.error(rows.at(-1)?.join("  "));
  }
}
printTitle(`User-space instructions that telemetry adds to a request (${counter})`);
printTable(
  ["telemetry", ...selectedWorkloads.flatMap(({ name }) => [name, "added", "none / this mode"])],
  rows,
);
