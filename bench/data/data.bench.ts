/**
 * Compares the database and the WebSocket package with the libraries they use, `pg`, `node:sqlite` and `ws`, alternately within one run. The part `stalled`
 * compares with no library and ignores `--rounds`: it measures one server while half of its clients read nothing.
 *
 *   pnpm --filter @framework/bench bench:data [postgres sqlite echo stalled] [--rounds 60]
 */
import { parseArgs } from "node:util";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { selectParts } from "../measure/select-names.ts";
import { formatEstimate } from "../measure/statistics.ts";
import { compareEcho } from "./echo.ts";
import { startPostgres } from "./packages.ts";
import { comparePostgres, compareSqlite } from "./queries.ts";
import { measureStalledReaders } from "./stalled-readers.ts";
import type { Comparison } from "./compare-implementations.ts";

const MIN_RATIO = 0.9;

const print = (label: string, { throughput, processor, ours, bare }: Comparison): void => {
  printTable(
    [label, "throughput, ours / bare", "CPU time, bare / ours", "ours, µs", "bare, µs"],
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

const printComparison = (rounds: number, ours: string, bare: string): void =>
  printTitle(`${ours} compared with ${bare}, median of ${rounds} rounds with a 95 % interval`);

const parts: Readonly<Record<string, (rounds: number) => Promise<void>>> = {
  postgres: async (rounds) => {
    printComparison(rounds, "@framework/database", "pg");
    const url = process.env["DATABASE_URL"];
    await using server = url === undefined ? await startPostgres() : null;
    print("PostgreSQL point query", await comparePostgres(server?.url ?? url ?? "", rounds));
  },
  sqlite: async (rounds) => {
    printComparison(rounds, "@framework/database", "node:sqlite");
    print("SQLite point query", await compareSqlite(rounds));
  },
  echo: async (rounds) => {
    printComparison(rounds, "@framework/websocket", "ws");
    print("WebSocket echo", await compareEcho(rounds));
  },
  stalled: () => measureStalledReaders(),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "60" } },
});
for (const [, part] of selectParts(parts, positionals)) await part(Number(values.rounds));
