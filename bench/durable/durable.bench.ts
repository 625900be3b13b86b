/**
 * Compares a queue of `@framework/durable` with equivalent hand-written SQL: a claim and a completion per batch, alternately within one run.
 *
 *   pnpm --filter @framework/bench bench:durable [postgres postgres-fsync sqlite] [--rounds 15] [--items 4000] [--batch 10]
 */
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { selectParts } from "../measure/select-names.ts";
import { estimate, formatEstimate } from "../measure/statistics.ts";
import { barePostgres, bareSqlite, type BareWork } from "./bare-work.ts";
import { kernelWork } from "./kernel-work.ts";
import { startPostgres } from "./packages.ts";

const MIN_RATIO = 0.7;
const WARM_UP = 3;
const payload = { order: 12_345, customer: "customer", items: ["first", "second", "third"] };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "15" },
    items: { type: "string", default: "4000" },
    batch: { type: "string", default: "10" },
  },
});
const rounds = Number(values.rounds);
const items = Number(values.items);
const batch = Number(values.batch);

let handledItems = 0;
const handle = (item: unknown): void => {
  if (typeof item === "object") handledItems++;
};

const compare = async (label: string, url: string, bare: BareWork): Promise<void> => {
  const kernel = await kernelWork(url, batch, handle);
  const samples: { readonly ours: number; readonly bare: number }[] = [];
  const runBare = async (): Promise<number> => {
    await bare.fill(items, JSON.stringify(payload));
    const start = performance.now();
    await bare.work(batch, handle);
    return performance.now() - start;
  };
  try {
    for (let round = -WARM_UP; round < rounds; round++) {
      const first = round % 2 === 0 ? await runBare() : 0;
      const ours = await kernel.work(items, payload);
      const bareMs = round % 2 === 0 ? first : await runBare();
      if (round >= 0) samples.push({ ours, bare: bareMs });
    }
  } finally {
    await kernel.close();
    await bare.close();
  }
  const ratio = estimate(samples.map((one) => one.bare / one.ours));
  const perSecond = (ms: number): number => (items * 1000) / ms;
  printTable(
    [label, "throughput, ours / bare", "ours, items/s", "bare, items/s"],
    [
      [
        `batches of ${batch}`,
        formatEstimate(ratio, 2),
        formatEstimate(estimate(samples.map(({ ours }) => perSecond(ours))), 0),
        formatEstimate(estimate(samples.map((one) => perSecond(one.bare))), 0),
      ],
    ],
  );
  gate(ratio.median >= MIN_RATIO, `${label}: at least ${MIN_RATIO} of the throughput of hand-written SQL\n`);
};

const postgres = async (fsync: boolean): Promise<void> => {
  await using server = await startPostgres({ fsync });
  await compare(fsync ? "PostgreSQL, fsync" : "PostgreSQL", server.url, await barePostgres(server.url));
};

const parts: Readonly<Record<string, () => Promise<void>>> = {
  postgres: () => postgres(false),
  "postgres-fsync": () => postgres(true),
  async sqlite() {
    using folder = mkdtempDisposableSync(join(tmpdir(), "bench-durable-"));
    const bare = await bareSqlite(join(folder.path, "bare.db"));
    await compare("SQLite", `sqlite://${join(folder.path, "ours.db")}`, bare);
  },
};

const selectedParts = selectParts(parts, positionals);
printTitle(
  `A queue compared with hand-written SQL, median of ${rounds} rounds of ${items} items with a 95 % interval`,
);
for (const [, part] of selectedParts) await part();
if (handledItems === 0) throw new Error("nothing was measured");
