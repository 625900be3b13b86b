/**
 * Compares commands with the same hand-written transaction, alternately within one run, and measures the dispatch of commands and queries without a database.
 *
 *   pnpm --filter @framework/bench bench:cqrs [postgres sqlite sqlite-normal dispatch] [--rounds 40]
 */
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { selectParts } from "../measure/select-names.ts";
import { formatEstimate } from "../measure/statistics.ts";
import { type CommandCase, compareCommands } from "./commands.ts";
import { compareDispatch, type Operation } from "./dispatch.ts";
import { startPostgres } from "./packages.ts";

/** Minimum throughput of a command, as a ratio to the same hand-written transaction. */
const MIN_RATIO = 0.8;

/** Minimum ratio with idempotency keys. The stored result has more columns than the hand-written row; claim and look-up are one statement instead of two. */
const MIN_RATIO_KEYED = 0.7;

/** Maximum processor time of the dispatch of a call in microseconds. */
const MAX_MICROS = 20;

const compare = async (
  label: string,
  options: CommandCase,
  rounds: number,
  minRatio: number | null = options.keyed ? MIN_RATIO_KEYED : MIN_RATIO,
): Promise<void> => {
  const { throughput, processor, ours, bare } = await compareCommands(options, rounds);
  printTable(
    [label, "throughput, ours / by hand", "CPU time, by hand / ours", "ours, µs", "by hand, µs"],
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
  if (minRatio !== null)
    gate(
      throughput.median >= minRatio,
      `${label}: at least ${minRatio} of the throughput of the same hand-written transaction\n`,
    );
};

const dispatch = async (label: Operation, rounds: number): Promise<void> => {
  const { extra } = await compareDispatch(label, rounds);
  printTable([label, "CPU time, µs"], [["median, 95 %", formatEstimate(extra, 2)]]);
  gate(extra.median <= MAX_MICROS, `dispatch of a ${label}: at most ${MAX_MICROS} µs of processor time\n`);
};

const onSqlite = async (
  label: string,
  options: Omit<CommandCase, "url" | "callers">,
  rounds: number,
  minRatio?: null,
): Promise<void> => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "bench-cqrs-"));
  const url = `sqlite://${join(folder.path, "orders.db")}`;
  await compare(label, { url, callers: 1, ...options }, rounds, minRatio);
};

const parts: Readonly<Record<string, (rounds: number) => Promise<void>>> = {
  postgres: async (rounds) => {
    const configuredUrl = process.env["DATABASE_URL"];
    await using server = configuredUrl === undefined ? await startPostgres({ fsync: true }) : null;
    const url = server?.url ?? configuredUrl ?? "";
    await compare("PostgreSQL, 8 callers", { url, callers: 8, keyed: false }, rounds);
    await compare("PostgreSQL, 8 callers, with keys", { url, callers: 8, keyed: true }, rounds);
  },
  sqlite: async (rounds) => {
    await onSqlite("SQLite", { keyed: false }, rounds);
    await onSqlite("SQLite, with keys", { keyed: true }, rounds);
  },
  "sqlite-normal": async (rounds) => {
    const options = { keyed: false, synchronous: "normal" } as const;
    await onSqlite('SQLite, synchronous "normal", no gate', options, rounds, null);
  },
  dispatch: async (rounds) => {
    for (const label of ["command", "query", "query without coalescing"] as const)
      await dispatch(label, rounds);
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "40" } },
});
const selectedParts = selectParts(parts, positionals);
printTitle(
  `Commands and queries compared with the same hand-written work, median of ${values.rounds} rounds with a 95 % interval`,
);
for (const [, part] of selectedParts) await part(Number(values.rounds));
