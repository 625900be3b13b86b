/**
 * Compares the database and the WebSocket package with the libraries they use, `pg`, `node:sqlite` and `ws`, alternately within one run.
 *
 *   pnpm --filter @framework/bench bench:data [parts] [--rounds 60]
 */
import { parseArgs } from "node:util";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { formatEstimate } from "../measure/statistics.ts";
import { compareEcho } from "./echo.ts";
import { startPostgres } from "./packages.ts";
import { comparePostgres, compareSqlite } from "./queries.ts";
import { measureStalledReaders } from "./stalled-readers.ts";
import type { Comparison } from "./compare-implementations.ts";

const MIN_RATIO = 0.9;

const print = (label: string, { throughput, processor, ours, bare }: Comparison): void => {
  printTable(
    [label, "throughput to bare", "processor to bare", "ours, µs", "bare, µs"],
    [
      [
        "median, 95 %",
        formatEstimate(throughput, 3),
        formatEstimate(processor, 3),
        formatEstimate(ours, 2),
        formatEstimate(bare, 2),
      ],
    ],
  );
  gate(
    throughput.median >= MIN_RATIO,
    `${label}: at least ${MIN_RATIO} of the throughput of the bare library\n`,
  );
};

const parts: Readonly<Record<string, (rounds: number) => Promise<void>>> = {
  postgres: async (rounds) => {
    const url = process.env["DATABASE_URL"];
    await using server = url === undefined ? await startPostgres() : null;
    print("PostgreSQL point query", await comparePostgres(server?.url ?? url ?? "", rounds));
  },
  sqlite: async (rounds) => print("SQLite point query", await compareSqlite(rounds)),
  echo: async (rounds) => print("WebSocket echo", await compareEcho(rounds)),
  stalled: async () => await measureStalledReaders(),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "60" } },
});
const selectedParts = positionals.length === 0 ? Object.keys(parts) : positionals;
printTitle(`Compared with the bare libraries, median of ${values.rounds} rounds with a 95 % interval`);
for (const name of selectedParts) {
  const part = parts[name];
  if (part === undefined)
    throw new Error(`There is no part ${name}; there are ${Object.keys(parts).join(", ")}`);
  await part(Number(values.rounds));
}
