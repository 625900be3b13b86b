/**
 * Compares sagas of three calls with items of a bare queue of `@framework/durable`, alternately within one run. A saga of three steps writes three times as
 * much as an item, plus outputs and a timeline. The part `dbos` runs the same definition on the database and on `@framework/saga-dbos`, alternately,
 * with one commit per start.
 *
 *   pnpm --filter @framework/bench bench:saga [sqlite postgres dbos] [--rounds 7] [--sagas 1000] [--concurrency 20]
 */
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { kernelWork } from "../durable/kernel-work.ts";
import { printTable, printTitle } from "../measure/report.ts";
import { selectParts } from "../measure/select-names.ts";
import { estimate, formatEstimate } from "../measure/statistics.ts";
import { dbosRunner, startPostgres } from "./packages.ts";
import { sagaWork } from "./saga-work.ts";

const WARM_UP = 2;
const payload = { order: 12_345 };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "7" },
    sagas: { type: "string", default: "1000" },
    concurrency: { type: "string", default: "20" },
  },
});
const rounds = Number(values.rounds);
const sagas = Number(values.sagas);
const concurrency = Number(values.concurrency);

const measure = async (label: string, url: string): Promise<void> => {
  const own = await sagaWork(url, concurrency);
  const bare = await kernelWork(url, concurrency, () => {});
  const samples: { readonly own: number; readonly bare: number }[] = [];
  try {
    for (let round = -WARM_UP; round < rounds; round++) {
      const ownMs = await own.work(sagas);
      const bareMs = await bare.work(sagas, payload);
      if (round >= 0) samples.push({ own: ownMs, bare: bareMs });
    }
  } finally {
    await own.close();
    await bare.close();
  }
  const perSecond = (ms: number): number => (sagas * 1000) / ms;
  const median = (pick: (one: (typeof samples)[number]) => number): number =>
    estimate(samples.map(pick)).median;
  printTable(
    [label, "claims and completions/s, saga / item", "sagas/s", "steps/s", "items/s"],
    [
      [
        "3 calls",
        formatEstimate(estimate(samples.map((one) => one.bare / one.own)), 2),
        median((one) => perSecond(one.own)).toFixed(0),
        median((one) => 3 * perSecond(one.own)).toFixed(0),
        median((one) => perSecond(one.bare)).toFixed(0),
      ],
    ],
  );
};

const compare = async (url: string): Promise<void> => {
  const own = await sagaWork(url, concurrency);
  const dbos = await sagaWork(url, concurrency, dbosRunner({ url, pollMs: 50 }));
  const samples: { readonly own: number; readonly dbos: number }[] = [];
  try {
    for (let round = -WARM_UP; round < rounds; round++) {
      const ownMs = await own.startAndWork(sagas);
      const dbosMs = await dbos.startAndWork(sagas);
      if (round >= 0) samples.push({ own: ownMs, dbos: dbosMs });
    }
  } finally {
    await own.close();
    await dbos.close();
  }
  const perSecond = (ms: readonly number[]): string => ((sagas * 1000) / estimate(ms).median).toFixed(0);
  printTable(
    ["PostgreSQL", "throughput, saga / saga-dbos", "sagas/s", "sagas/s of saga-dbos"],
    [
      [
        "3 calls, including the start",
        formatEstimate(estimate(samples.map((one) => one.dbos / one.own)), 2),
        perSecond(samples.map((one) => one.own)),
        perSecond(samples.map((one) => one.dbos)),
      ],
    ],
  );
};

const parts: Readonly<Record<string, () => Promise<void>>> = {
  sqlite: async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), "bench-saga-"));
    await measure("SQLite", `sqlite://${join(folder.path, "bench.db")}`);
  },
  postgres: async () => {
    await using server = await startPostgres();
    await measure("PostgreSQL", server.url);
  },
  dbos: async () => {
    await using server = await startPostgres();
    await compare(server.url);
  },
};

const selectedParts = selectParts(parts, positionals);
printTitle(
  `Sagas of three calls compared with items, median of ${rounds} rounds of ${sagas} with a 95 % interval`,
);
for (const [, part] of selectedParts) await part();
