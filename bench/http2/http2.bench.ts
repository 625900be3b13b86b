/**
 * Compares requests over `@framework/http2` with hand-written code on the core API of `node:http2`, alternately within one run: CPU time of the server per
 * request, or its instructions, which do not depend on machine load. The servers load the builds, as users do: Node strips types with
 * WebAssembly in the same process, and V8 then optimizes `node:http2` less well.
 *
 *   pnpm --filter @framework/bench bench:http2 [--rounds 21] [--requests 4000] [--instructions]
 */
import { deepStrictEqual } from "node:assert";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { VitalsClient } from "../measure/vitals-client.ts";
import { findInstrument } from "../instructions/callgrind.ts";
import { pin } from "../measure/pin.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { startServer } from "../measure/server.ts";
import { estimate, formatEstimate } from "../measure/statistics.ts";
import { countRequests } from "./http2-instructions.ts";
import { Http2Load } from "./http2-load.ts";
import { type Http2Workload, http2Workloads } from "./http2-workloads.ts";

/** Minimum number of requests at the same cost, relative to bare `node:http2`: 1 minus measurement noise. */
const MIN_RATIO = 0.97;
const WARM_UP = 5;
const CONNECTIONS = 4;
const CONCURRENCY = 64;
const [OURS, BARE] = ["http2-framework.ts", "http2-bare.ts"] as const;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "21" },
    requests: { type: "string", default: "4000" },
    instructions: { type: "boolean", default: false },
  },
});
const [rounds, requests] = [Number(values.rounds), Number(values.requests)];

await using started = new AsyncDisposableStack();
const start = async (file: string) => {
  const server = started.use(await startServer(file, [], [], { NODE_ENV: "production" }));
  const vitals = started.use(new VitalsClient(Number(/"vitals":(\d+)/.exec(server.program.output())?.[1])));
  const load = started.use(new Http2Load(server.port, CONNECTIONS));
  pin(server.program.pid, 0);
  return { vitals, load };
};

/** Returns the ratio of bare to ours for each workload. */
const compareProcessorTime = async (): Promise<number[]> => {
  printTitle(
    `HTTP/2, ${requests} requests per round, ${CONCURRENCY} concurrent, load ${loadavg()[0]?.toFixed(1)}`,
  );
  const [ours, bare] = [await start(OURS), await start(BARE)];
  pin(process.pid, 1);
  for (const { request } of http2Workloads)
    deepStrictEqual(await ours.load.send(request(7)), await bare.load.send(request(7))); // both do the same work
  const measure = async ({ vitals, load }: typeof ours, workload: Http2Workload): Promise<number> => {
    const before = await vitals.cpuMicros();
    await load.run(workload, requests, CONCURRENCY);
    return ((await vitals.cpuMicros()) - before) / requests;
  };
  const rows: string[][] = [];
  const ratios: number[] = [];
  for (const workload of http2Workloads) {
    const samples: { readonly ours: number; readonly bare: number }[] = [];
    for (let round = -WARM_UP; round < rounds; round++) {
      const first = round % 2 === 0 ? await measure(bare, workload) : null;
      const own = await measure(ours, workload);
      const other = first ?? (await measure(bare, workload));
      if (round >= 0) samples.push({ ours: own, bare: other });
    }
    const ratio = estimate(samples.map((each) => each.bare / each.ours));
    ratios.push(ratio.median);
    const micros = (side: "ours" | "bare"): string =>
      formatEstimate(estimate(samples.map((each) => each[side])), 1);
    rows.push([workload.name, formatEstimate(ratio, 3), micros("ours"), micros("bare")]);
  }
  printTable(["request", "CPU time, bare / ours", "ours, µs of CPU", "node:http2, µs of CPU"], rows);
  return ratios;
};

/** The same for user-space instructions. */
const compareInstructions = async (): Promise<number[]> => {
  const { name, reason } = findInstrument();
  if (name === null) throw new Error(reason);
  printTitle(`HTTP/2, user-space instructions per request, ${CONCURRENCY} concurrent, ${name}`);
  const ours = await countRequests(OURS, http2Workloads, CONNECTIONS, CONCURRENCY);
  const bare = await countRequests(BARE, http2Workloads, CONNECTIONS, CONCURRENCY);
  const ratios = ours.map((own, at) => (bare[at] ?? NaN) / own);
  const rows = http2Workloads.map(({ name: workload }, at) => [
    workload,
    ratios[at]?.toFixed(3) ?? "",
    Math.round(ours[at] ?? NaN),
    Math.round(bare[at] ?? NaN),
  ]);
  printTable(["request", "instructions, bare / ours", "ours", "node:http2"], rows);
  return ratios;
};

const ratios = values.instructions ? await compareInstructions() : await compareProcessorTime();
gate(
  ratios.every((each) => each >= MIN_RATIO),
  `at least ${MIN_RATIO} times the requests of bare node:http2 at the same cost`,
);
