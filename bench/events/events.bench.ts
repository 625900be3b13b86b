/**
 * Compares appends to the event store with the same SQL by hand, over `pg` and `node:sqlite`, in turns within one run.
 *
 *   pnpm --filter @framework/bench bench:events [parts] [--rounds 40]
 */
import { parseArgs } from "node:util";
import type { Compared } from "../data/turns.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { shown } from "../measure/statistics.ts";
import { startPostgres } from "./packages.ts";
import { comparePostgres } from "./postgres.ts";
import { compareSqlite } from "./sqlite.ts";

/** An append costs at most 15 % over the bare library. */
const LEAST = 1 / 1.15;

const print = (what: string, { throughput, processor, ours, bare }: Compared, isGate = true): void => {
  printTable(
    [what, "throughput to bare", "processor to bare", "ours, µs", "bare, µs"],
    [["median, 95 %", shown(throughput, 3), shown(processor, 3), shown(ours, 1), shown(bare, 1)]],
  );
  if (isGate) gate(throughput.median >= LEAST, `${what}: at most 15 % over the same SQL by hand\n`);
};

const sizes = [1, 10, 100];

const parts: Readonly<Record<string, (rounds: number) => Promise<void>>> = {
  postgres: async (rounds) => {
    const url = process.env["DATABASE_URL"];
    await using server = url === undefined ? await startPostgres({ fsync: true }) : null;
    for (const events of sizes)
      print(
        `PostgreSQL, 8 callers, ${events} at once`,
        await comparePostgres(server?.url ?? url ?? "", events, rounds),
      );
  },
  sqlite: async (rounds) => {
    for (const events of sizes) {
      const alone = { events, callers: 1, synchronous: "full" } as const;
      print(`SQLite, one caller, ${events} at once`, await compareSqlite(alone, rounds));
    }
    const together = { events: 1, callers: 32, synchronous: "full" } as const;
    print("SQLite, 32 callers share commits", await compareSqlite(together, rounds));
  },
  "sqlite-normal": async (rounds) => {
    const alone = { events: 1, callers: 1, synchronous: "normal" } as const;
    print('SQLite with synchronous "normal", no gate', await compareSqlite(alone, rounds), false);
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "40" } },
});
const wanted = positionals.length === 0 ? Object.keys(parts) : positionals;
printTitle(`Appends beside the same SQL by hand, median of ${values.rounds} rounds with a 95 % interval`);
for (const name of wanted) {
  const part = parts[name];
  if (part === undefined)
    throw new Error(`There is no part ${name}; there are ${Object.keys(parts).join(", ")}`);
  await part(Number(values.rounds));
}
