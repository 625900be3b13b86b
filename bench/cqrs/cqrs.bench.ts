/**
 * Compares commands with the same transaction by hand, in turns within one run, and measures the dispatch of commands and queries without a database.
 *
 *   pnpm --filter @framework/bench bench:cqrs [parts] [--rounds 40]
 */
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { shown } from "../measure/statistics.ts";
import { type CommandCase, compareCommands } from "./commands.ts";
import { compareDispatch, type Dispatched } from "./dispatch.ts";
import { startPostgres } from "./packages.ts";

/** Least throughput of a command, compared with the same transaction by hand. */
const LEAST = 0.8;

/** The same with idempotency keys: the stored result has more columns than a row by hand. Claim and look-up are one statement, which are two by hand. */
const LEAST_KEYED = 0.7;

/** Most microseconds of the processor for the dispatch of a call. */
const MOST_US = 20;

const compare = async (
  what: string,
  which: CommandCase,
  rounds: number,
  least: number | null = which.keyed ? LEAST_KEYED : LEAST,
): Promise<void> => {
  const { throughput, processor, ours, bare } = await compareCommands(which, rounds);
  printTable(
    [what, "throughput to by hand", "processor to by hand", "command, µs", "by hand, µs"],
    [["median, 95 %", shown(throughput, 3), shown(processor, 3), shown(ours, 1), shown(bare, 1)]],
  );
  if (least !== null)
    gate(throughput.median >= least, `${what}: at least ${least} of the same transaction by hand\n`);
};

const dispatch = async (what: Dispatched, rounds: number): Promise<void> => {
  const { extra } = await compareDispatch(what, rounds);
  printTable([what, "processor, µs"], [["median, 95 %", shown(extra, 2)]]);
  gate(extra.median <= MOST_US, `dispatch of a ${what}: at most ${MOST_US} µs of the processor\n`);
};

const onSqlite = async (
  what: string,
  which: Omit<CommandCase, "url" | "callers">,
  rounds: number,
  least?: null,
): Promise<void> => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "bench-cqrs-"));
  const url = `sqlite://${join(folder.path, "orders.db")}`;
  await compare(what, { url, callers: 1, ...which }, rounds, least);
};

const parts: Readonly<Record<string, (rounds: number) => Promise<void>>> = {
  postgres: async (rounds) => {
    const given = process.env["DATABASE_URL"];
    await using server = given === undefined ? await startPostgres({ fsync: true }) : null;
    const url = server?.url ?? given ?? "";
    await compare("PostgreSQL, 8 callers", { url, callers: 8, keyed: false }, rounds);
    await compare("PostgreSQL, 8 callers, with keys", { url, callers: 8, keyed: true }, rounds);
  },
  sqlite: async (rounds) => {
    await onSqlite("SQLite", { keyed: false }, rounds);
    await onSqlite("SQLite, with keys", { keyed: true }, rounds);
  },
  "sqlite-normal": async (rounds) => {
    const which = { keyed: false, synchronous: "normal" } as const;
    await onSqlite('SQLite, synchronous "normal", no gate', which, rounds, null);
  },
  dispatch: async (rounds) => {
    for (const what of ["command", "query", "query that shares no run"] as const)
      await dispatch(what, rounds);
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "40" } },
});
const wanted = positionals.length === 0 ? Object.keys(parts) : positionals;
printTitle(
  `Commands and queries beside the same work by hand, median of ${values.rounds} rounds with a 95 % interval`,
);
for (const name of wanted) {
  const part = parts[name];
  if (part === undefined)
    throw new Error(`There is no part ${name}; there are ${Object.keys(parts).join(", ")}`);
  await part(Number(values.rounds));
}
