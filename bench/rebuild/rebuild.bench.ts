/**
 * Compares the rebuild of a projection with a bare cursor that builds the same view, alternately within one run.
 *
 *   pnpm --filter @framework/bench bench:rebuild [postgres sqlite] [--events 50000] [--rounds 5]
 */
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { selectParts } from "../measure/select-names.ts";
import { estimate, formatEstimate } from "../measure/statistics.ts";
import { type BareCursor, barePostgres, bareSqlite } from "./bare-cursor.ts";
import { type MemoryPeaks, measureMemory } from "./memory.ts";
import { type Database, openDatabase, startPostgres } from "./packages.ts";
import { fill, createFirstVersion, rebuild } from "./rebuild-store.ts";

/** Minimum throughput of a rebuild as a ratio to a bare cursor. */
const MIN_RATIO = 0.6;

/** Maximum growth of memory from the first to the last quarter of a rebuild, in MiB. */
const MAX_GROWTH_MIB = 24;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    events: { type: "string", default: "50000" },
    rounds: { type: "string", default: "5" },
  },
});
const events = Number(values.events);
const rounds = Number(values.rounds);

interface Spent {
  readonly wallMs: number;
  readonly processorMs: number;
}

const measureTime = async (run: () => Promise<unknown>): Promise<Spent> => {
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  await run();
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: performance.now() - start, processorMs: (user + system) / 1000 };
};

interface Round {
  readonly ours: Spent;
  readonly bare: Spent;
}

const compare = async (label: string, db: Database, bare: BareCursor): Promise<void> => {
  await createFirstVersion(db);
  await fill(db, events);
  const samples: Round[] = [];
  let version = 1;
  let memory: MemoryPeaks | null = null;
  const ours = (): Promise<Spent> =>
    measureTime(async () => {
      memory = await measureMemory(() => rebuild(db, ++version));
    });
  const cursor = (): Promise<Spent> =>
    measureTime(async () => {
      const count = await bare.run();
      if (count !== events) throw new Error(`the cursor read ${count} of ${events} events`);
    });
  for (let round = -1; round < rounds; round++) {
    const isOursFirst = round % 2 === 0;
    const first = await (isOursFirst ? ours : cursor)();
    const second = await (isOursFirst ? cursor : ours)();
    if (round >= 0) samples.push(isOursFirst ? { ours: first, bare: second } : { ours: second, bare: first });
    await expectSameView(db);
  }
  report(label, samples, memory);
};

/** @throws if the two views differ */
const expectSameView = async (db: Database): Promise<void> => {
  const columns = "member, loans, days, last_loan";
  const [missing, all] = [
    await db.fetchValue<number>(
      `SELECT count(*) FROM (SELECT ${columns} FROM members EXCEPT SELECT ${columns} FROM bare_view) AS different`,
    ),
    await db.fetchValue<number>("SELECT CAST(sum(loans) AS BIGINT) FROM members"),
  ];
  if (missing !== 0 || all !== events) throw new Error(`the views differ: ${missing} rows, ${all} events`);
};

const report = (label: string, samples: readonly Round[], memory: MemoryPeaks | null): void => {
  const ratio = estimate(samples.map(({ ours, bare }) => bare.wallMs / ours.wallMs));
  const processor = estimate(samples.map(({ ours, bare }) => bare.processorMs / ours.processorMs));
  const perSecond = (side: "ours" | "bare"): string =>
    formatEstimate(estimate(samples.map((each) => events / each[side].wallMs)), 0);
  printTable(
    [
      label,
      "throughput, ours / bare",
      "CPU time, bare / ours",
      "ours, 1,000 events/s",
      "bare, 1,000 events/s",
    ],
    [
      [
        "median, 95 %",
        formatEstimate(ratio, 2),
        formatEstimate(processor, 2),
        perSecond("ours"),
        perSecond("bare"),
      ],
    ],
  );
  gate(ratio.median >= MIN_RATIO, `${label}: at least ${MIN_RATIO} of the throughput of a bare cursor`);
  if (memory === null) return;
  const { heapMiB, residentMiB } = memory;
  gate(
    heapMiB[1] - heapMiB[0] <= MAX_GROWTH_MIB && residentMiB[1] - residentMiB[0] <= MAX_GROWTH_MIB,
    `${label}: memory is flat; peaks of the first → last quarter: heap ${heapMiB.join(" → ")} MiB, resident ${residentMiB.join(" → ")} MiB\n`,
  );
};

const parts: Readonly<Record<string, () => Promise<void>>> = {
  postgres: async () => {
    await using server = await startPostgres({ fsync: true });
    const db = openDatabase({ url: server.url, poolSize: 8 });
    const bare = await barePostgres(server.url);
    await compare("PostgreSQL", db, bare);
    await bare.close();
    await db.close();
  },
  sqlite: async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), "bench-rebuild-"));
    const file = join(folder.path, "events.db");
    const db = openDatabase({ url: `sqlite://${file}`, synchronous: "full" });
    const bare = bareSqlite(file);
    await compare("SQLite", db, bare);
    await bare.close();
    await db.close();
  },
};

const selectedParts = selectParts(parts, positionals);
printTitle(
  `Rebuild of ${events} events compared with a bare cursor, median of ${rounds} rounds with a 95 % interval`,
);
for (const [, part] of selectedParts) await part();
