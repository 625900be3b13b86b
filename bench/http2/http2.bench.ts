/**
 * Compares requests over `@framework/http2` with the core API of `node:http2` by hand, in turns within one run: CPU time of the server for a request.
 *
 *   pnpm --filter @framework/bench bench:http2 [--rounds 21] [--requests 4000]
 */
import { deepStrictEqual } from "node:assert";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { VitalsLine } from "../compare/vitals-line.ts";
import { pin } from "../measure/pin.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { startServer } from "../measure/server.ts";
import { estimate, shown } from "../measure/statistics.ts";
import { Http2Load } from "./http2-load.ts";

/** Share of bare `node:http2`'s requests for the same CPU time: 1 within the noise of the measurement. */
const LEAST = 0.97;
const WARM_UP = 5;
const CONNECTIONS = 4;
const AT_ONCE = 64;

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "21" }, requests: { type: "string", default: "4000" } },
});
const [rounds, requests] = [Number(values.rounds), Number(values.requests)];

printTitle(`HTTP/2, ${requests} requests a round, ${AT_ONCE} at once, load ${loadavg()[0]?.toFixed(1)}`);
await using started = new AsyncDisposableStack();
const start = async (file: string) => {
  const server = started.use(await startServer(file, [], [], { NODE_ENV: "production" }));
  const vitals = started.use(new VitalsLine(Number(/\{"vitals":(\d+)\}/.exec(server.program.output())?.[1])));
  const load = started.use(new Http2Load(server.port, CONNECTIONS));
  pin(server.program.pid, 0);
  return { vitals, load };
};
const ours = await start("http2-framework.ts");
const bare = await start("http2-bare.ts");
pin(process.pid, 1);

for (const path of ["/json", "/users/7"])
  deepStrictEqual(await ours.load.get(path), await bare.load.get(path)); // the same work

const measure = async ({ vitals, load }: typeof ours, path: string): Promise<number> => {
  const before = await vitals.cpuMicros();
  await load.run(path, requests, AT_ONCE);
  return ((await vitals.cpuMicros()) - before) / requests;
};
const rows: string[][] = [];
const medians: number[] = [];
for (const path of ["/json", "/users/7"]) {
  const taken: { readonly ours: number; readonly bare: number }[] = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    const first = round % 2 === 0 ? await measure(bare, path) : null;
    const own = await measure(ours, path);
    const other = first ?? (await measure(bare, path));
    if (round >= 0) taken.push({ ours: own, bare: other });
  }
  const ratio = estimate(taken.map((each) => each.bare / each.ours));
  medians.push(ratio.median);
  const micros = (way: "ours" | "bare"): string => shown(estimate(taken.map((each) => each[way])), 1);
  rows.push([path, shown(ratio, 3), micros("ours"), micros("bare")]);
}
printTable(["request", "requests per CPU time", "ours, µs of CPU", "node:http2, µs of CPU"], rows);
gate(
  medians.every((each) => each >= LEAST),
  `a request keeps ${LEAST} of the requests per CPU time of bare node:http2`,
);
