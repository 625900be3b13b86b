/**
 * Compares appends to the event store with the same hand-written SQL over `pg` and `node:sqlite`, alternately within one run.
 *
 *   pnpm --filter @framework/bench bench:events [postgres sqlite sqlite-normal] [--rounds 40]
 */
import { parseArgs } from "node:util";
import type { Comparison } from "../data/compare-implementations.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { selectParts } from "../measure/select-names.ts";
import { formatEstimate } from "../measure/statistics.ts";
import { startPostgres } from "./packages.ts";
import { comparePostgres } from "./postgres.ts";
import { compareSqlite } from "./sqlite.ts";

/** An append may take at most 15 % longer than with the bare library. */
const MIN_RATIO = 1 / 1.15;

const print = (label: string, { throughput, processor, ours, bare }: Comparison, isGate = true): void => {
  printTable(
    [label, "throughput, ours / bare", "CPU time, bare / ours", "ours, µs", "bare, µs"],
    [
      [
        "median, 95 %",
        formatEstimate(throughput, 3),
        formatEstimate(processor, 3),
        formatEstimate(ours, 1),
        formatEstimate(bare, 1),
      ],
    ],
  );
  if (isGate)
    gate(
      throughput.median >= MIN_RATIO,
      `${label}: takes at most 15 % longer than the same hand-written SQL\n`,
    );
};

const sizes = [1, 10, 100];

const parts: Readonly<Record<string, (rounds: number) => Promise<void>>> = {
  postgres: async (rounds) => {
    const url = process.env["DATABASE_URL"];
    await using server = url === undefined ? await startPostgres({ fsync: true }) : null;
    for (const events of sizes)
      print(
        `PostgreSQL, 8 callers, ${events} per append`,
        await comparePostgres(server?.url ?? url ?? "", events, rounds),
      );
  },
  sqlite: async (rounds) => {
    for (const events of sizes) {
      const oneCaller = { events, callers: 1, synchronous: "full" } as const;
      print(`SQLite, one caller, ${events} per append`, await compareSqlite(oneCaller, rounds));
    }
    const manyCallers = { events: 1, callers: 32, synchronous: "full" } as const;
    print("SQLite, 32 callers share commits", await compareSqlite(manyCallers, rounds));
  },
  "sqlite-normal": async (rounds) => {
    const oneCaller = { events: 1, callers: 1, synchronous: "normal" } as const;
    print('SQLite with synchronous "normal", no gate', await compareSqlite(oneCaller, rounds), false);
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "40" } },
});
const selectedParts = selectParts(parts, positionals);
printTitle(
  `Appends compared with the same hand-written SQL, median of ${values.rounds} rounds with a 95 % interval`,
);
for (const [, part] of selectedParts) await part(Number(values.rounds));
