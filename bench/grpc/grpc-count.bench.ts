/**
 * Unary calls in user-space instructions of the server, which do not depend on the load of the machine: `@framework/grpc` beside bare grpc-js and proto-loader.
 *
 *   pnpm --filter @framework/bench run bench:grpc:count [--only bare,framework] [--warm-up 4000] [--calls 500]
 */
import { parseArgs } from "node:util";
import { instrument, startCounted } from "../instructions/callgrind.ts";
import { eager } from "../instructions/subjects.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { UnaryLoad } from "./unary-load.ts";

const LEAST = 0.9;
const CONNECTIONS = 4;
const AT_ONCE = 64;

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  options: {
    only: { type: "string", default: "bare,framework" },
    "warm-up": { type: "string", default: "4000" },
    calls: { type: "string", default: "500" },
  },
});
const { name: counter, reason } = instrument();
if (counter === null) throw new Error(reason);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

/** Enough that some hold neither a part of a full collection nor compilation, which cost a call of either server several times as much. */
const WINDOWS = 16;

/** Instructions of a call in each window, cheapest first. */
const count = async (name: string): Promise<readonly number[]> => {
  await using server = await startCounted(`grpc-${name}.ts`, [], eager, /^\{"grpc":(\d+)\}$/);
  using load = new UnaryLoad(server.port, CONNECTIONS);
  await load.run(Number(values["warm-up"]), AT_ONCE);
  const calls = Number(values.calls);
  const windows: number[] = [];
  await server.counting(async () => {
    for (let window = 0; window < WINDOWS; window++) {
      await load.run(calls, AT_ONCE);
      windows.push(Math.round((await server.taken()).instructions / calls));
    }
  });
  return windows.toSorted((a, b) => a - b);
};

const counts = new Map<string, readonly number[]>();
for (const name of values.only.split(",")) counts.set(name, await count(name));

printTitle(`gRPC unary, user-space instructions of the server for one call (${counter})`);
printTable(
  ["server", "cheapest window", "median", "dearest"],
  [...counts].map(([name, windows]) => [
    name,
    windows[0] ?? NaN,
    windows[WINDOWS >> 1] ?? NaN,
    windows.at(-1) ?? NaN,
  ]),
);
const share = (counts.get("bare")?.[0] ?? NaN) / (counts.get("framework")?.[0] ?? NaN);
if (!Number.isNaN(share))
  gate(share >= LEAST, `${share.toFixed(3)} of bare grpc-js's calls per instruction, at least ${LEAST}`);
