/**
 * Counts the user-space instructions of the server per unary call, which do not depend on machine load: `@framework/grpc` compared with bare grpc-js and
 * proto-loader.
 *
 *   pnpm --filter @framework/bench run bench:grpc:count [--only bare,framework] [--warm-up 4000] [--calls 500]
 */
import { parseArgs } from "node:util";
import { findInstrument, startCounted } from "../instructions/callgrind.ts";
import { earlyOptimization } from "../instructions/subjects.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { selectNames } from "../measure/select-names.ts";
import { UnaryLoad } from "./unary-load.ts";

const MIN_RATIO = 0.9;
const CONNECTIONS = 4;
const CONCURRENCY = 64;

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  options: {
    only: { type: "string", default: "bare,framework" },
    "warm-up": { type: "string", default: "4000" },
    calls: { type: "string", default: "500" },
  },
});
const selectedNames = selectNames("server", values.only.split(","), ["bare", "framework"]);
const { name: counter, reason } = findInstrument();
if (counter === null) throw new Error(reason);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

/** Enough windows that some contain no part of a full garbage collection and no compilation; either multiplies the cost of a call on both servers. */
const WINDOWS = 16;

/** Counts the instructions per call in each window, in ascending order. */
const count = async (name: string): Promise<readonly number[]> => {
  await using server = await startCounted(`grpc-${name}.ts`, [], earlyOptimization, /^\{"grpc":(\d+)\}$/);
  using load = new UnaryLoad(server.port, CONNECTIONS);
  await load.run(Number(values["warm-up"]), CONCURRENCY);
  const calls = Number(values.calls);
  const windows: number[] = [];
  await server.whileCounting(async () => {
    for (let window = 0; window < WINDOWS; window++) {
      await load.run(calls, CONCURRENCY);
      windows.push(Math.round((await server.takeCounts()).instructions / calls));
    }
  });
  return windows.toSorted((a, b) => a - b);
};

const counts = new Map<string, readonly number[]>();
for (const name of selectedNames) counts.set(name, await count(name));

printTitle(`gRPC unary, user-space instructions of the server for one call (${counter})`);
printTable(
  ["server", "minimum", "median", "maximum"],
  [...counts].map(([name, windows]) => [
    name,
    windows[0] ?? NaN,
    windows[WINDOWS >> 1] ?? NaN,
    windows.at(-1) ?? NaN,
  ]),
);
const share = (counts.get("bare")?.[0] ?? NaN) / (counts.get("framework")?.[0] ?? NaN);
if (!Number.isNaN(share))
  gate(
    share >= MIN_RATIO,
    `${share.toFixed(3)} times the calls of bare grpc-js per instruction, at least ${MIN_RATIO}`,
  );
