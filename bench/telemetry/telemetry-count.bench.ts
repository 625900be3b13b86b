/**
 * Counts the user-space instructions that telemetry adds to a request over a socket, which do not depend on machine load: traces, metrics and both, with no
 * request sampled and with all. The counts include garbage collections and exports. With other sampling rates, code is optimized too late to be counted.
 *
 *   pnpm --filter @framework/bench run bench:telemetry:count [--sampling 0,1] [--only none,off,traces,metrics,both] [--requests json,echo]
 */
import { parseArgs } from "node:util";
import { workloads } from "../workloads/workloads.ts";
import { findInstrument } from "../instructions/callgrind.ts";
import { countSubject, type Effort } from "../instructions/count.ts";
import { startServer } from "../measure/server.ts";
import { printTable, printTitle } from "../measure/report.ts";

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
    only: { type: "string", default: "none,off,traces,metrics,both" },
    requests: { type: "string", default: "json,echo" },
  },
});
const { name: counter, reason } = findInstrument();
if (counter === null) throw new Error(reason);
const selectedWorkloads = workloads
  .filter(({ name }) => values.requests.split(",").includes(name))
  .map((workload) => {
    const { rejected: _, ...sent } = workload; // the server does not validate input
    return sent;
  });
await using collector = await startServer("otlp-collector.ts");

/** Returns the sampling rates to count; metrics do not depend on them. */
const ratesOf = (mode: string): readonly string[] =>
  mode === "traces" || mode === "both" ? values.sampling.split(",") : [""];

const rows: string[][] = [];
let without: ReadonlyMap<string, { readonly instructions: number }> | null = null;
for (const mode of values.only.split(",")) {
  for (const sampling of ratesOf(mode)) {
    const args = [`--telemetry=${mode}`, `--collector=${collector.port}`, `--sampling=${sampling || 0}`];
    const name = sampling === "" ? mode : `${mode} at ${sampling}`;
    const counts = await countSubject(
      { name, file: "framework-telemetry.ts", args, nodeArgs },
      selectedWorkloads,
      effort,
    );
    without ??= counts;
    rows.push([
      name,
      ...selectedWorkloads.flatMap((workload) => {
        const { instructions, low, high } = counts.get(workload.name) ?? {
          instructions: NaN,
          low: NaN,
          high: NaN,
        };
        const base = without?.get(workload.name)?.instructions ?? NaN;
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
printTable(["telemetry", ...selectedWorkloads.flatMap(({ name }) => [name, "added", "ratio"])], rows);
