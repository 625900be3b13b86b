/**
 * Compares unary calls of `@framework/grpc` with bare grpc-js and proto-loader, alternately within one run: CPU time of the server per call, and calls per second.
 *
 *   pnpm --filter @framework/bench bench:grpc [--rounds 21] [--calls 5000]
 */
import { deepStrictEqual } from "node:assert";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { waitFor } from "@framework/testing";
import { VitalsClient } from "../measure/vitals-client.ts";
import { pin } from "../measure/pin.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { startServer } from "../measure/server.ts";
import { estimate, formatEstimate } from "../measure/statistics.ts";
import { UnaryLoad } from "./unary-load.ts";

const MIN_RATIO = 0.9;
const WARM_UP = 5;
const CONNECTIONS = 4;
const CONCURRENCY = 64;

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "21" }, calls: { type: "string", default: "5000" } },
});
const [rounds, calls] = [Number(values.rounds), Number(values.calls)];

printTitle(
  `gRPC unary, ${calls} calls per round, ${CONCURRENCY} concurrent, load ${loadavg()[0]?.toFixed(1)}`,
);
await using started = new AsyncDisposableStack();
const start = async (file: string) => {
  const server = started.use(await startServer(file, [], [], { NODE_ENV: "production" }));
  const vitals = started.use(new VitalsClient(Number(/"vitals":(\d+)/.exec(server.program.output())?.[1])));
  const port = await waitFor(() => /\{"grpc":(\d+)\}/.exec(server.program.output())?.[1]);
  const load = started.use(new UnaryLoad(Number(port), CONNECTIONS));
  pin(server.program.pid, 0);
  return { vitals, load };
};
const ours = await start("grpc-framework.ts");
const bare = await start("grpc-bare.ts");
pin(process.pid, 1);

for (const id of [0, 1, 7, 127]) deepStrictEqual(await ours.load.call(id), await bare.load.call(id)); // both do the same work

interface Cost {
  readonly cpuMicros: number;
  readonly perSecond: number;
}
const measure = async ({ vitals, load }: typeof ours): Promise<Cost> => {
  const before = await vitals.cpuMicros();
  const ms = await load.run(calls, CONCURRENCY);
  return { cpuMicros: ((await vitals.cpuMicros()) - before) / calls, perSecond: (calls * 1000) / ms };
};
const samples: { readonly ours: Cost; readonly bare: Cost }[] = [];
for (let round = -WARM_UP; round < rounds; round++) {
  const first = round % 2 === 0 ? await measure(bare) : null;
  const own = await measure(ours);
  const other = first ?? (await measure(bare));
  if (round >= 0) samples.push({ ours: own, bare: other });
}
const cpu = estimate(samples.map((each) => each.bare.cpuMicros / each.ours.cpuMicros));
const rate = estimate(samples.map((each) => each.ours.perSecond / each.bare.perSecond));
const micros = (side: "ours" | "bare"): string =>
  formatEstimate(estimate(samples.map((each) => each[side].cpuMicros)), 1);
printTable(
  ["CPU time, bare / ours", "calls/s, ours / bare", "ours, µs of CPU", "grpc-js, µs of CPU"],
  [[formatEstimate(cpu, 3), formatEstimate(rate, 3), micros("ours"), micros("bare")]],
);
gate(cpu.median >= MIN_RATIO, `unary calls: at least ${MIN_RATIO} of the calls per CPU time of bare grpc-js`);
