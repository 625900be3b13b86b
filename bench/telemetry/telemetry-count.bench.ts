/**
 * Counts what telemetry adds to a request over a socket in user-space instructions, which do not depend on the load of the machine: traces, metrics and both,
 * with no request recorded and with all. Collections and exports are in the counts. A share between needs longer than a counted server can run until its code is compiled.
 *
 *   pnpm --filter @framework/bench run bench:telemetry:count [--sampling 0,1] [--only none,off,traces,metrics,both] [--requests json,echo]
 */
import { parseArgs } from "node:util";
import { workloads } from "../compare/workloads.ts";
import { instrument } from "../instructions/callgrind.ts";
import { countSubject, type Effort } from "../instructions/count.ts";
import { startServer } from "../measure/server.ts";
import { printTable, printTitle } from "../measure/report.ts";

/** Compiles for good after fewer calls, so that little has to be sent before. */
const nodeArgs = ["--invocation-count-for-maglev=100", "--invocation-count-for-turbofan=400"];

/** Windows with several exports of spans each. */
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
const { name: counter, reason } = instrument();
if (counter === null) throw new Error(reason);
const asked = workloads
  .filter(({ name }) => values.requests.split(",").includes(name))
  .map((workload) => {
    const { refused: _, ...sent } = workload; // what is refused is no part of the count
    return sent;
  });
await using collector = await startServer("otlp-collector.ts");

/** Metrics are recorded for every request, whatever the share of traces. */
const ratesOf = (way: string): readonly string[] =>
  way === "traces" || way === "both" ? values.sampling.split(",") : [""];

const rows: string[][] = [];
let without: ReadonlyMap<string, { readonly instructions: number }> | null = null;
for (const way of values.only.split(",")) {
  for (const sampling of ratesOf(way)) {
    const args = [`--telemetry=${way}`, `--collector=${collector.port}`, `--sampling=${sampling || 0}`];
    const name = sampling === "" ? way : `${way} at ${sampling}`;
    const counts = await countSubject(
      { name, file: "framework-telemetry.ts", args, nodeArgs },
      asked,
      effort,
    );
    without ??= counts;
    rows.push([
      name,
      ...asked.flatMap((workload) => {
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
printTitle(`What telemetry adds to a request, in user-space instructions (${counter})`);
printTable(["telemetry", ...asked.flatMap(({ name }) => [name, "more", "share"])], rows);
