/**
 * Compares `@framework/jobs` with pg-boss, graphile-worker and BullMQ: adding jobs, running them, and the time until a job starts. Those on PostgreSQL
 * share a server. All alternate within one run, with the same durability.
 *
 *   pnpm --filter @framework/bench bench:jobs [cached flushed] [--rounds 9] [--only "work, 10"]
 */
import { parseArgs } from "node:util";
import { printTable, printTitle } from "../measure/report.ts";
import { selectParts } from "../measure/select-names.ts";
import { estimate, formatEstimate } from "../measure/statistics.ts";
import { type Case, latency, throughput } from "./cases.ts";
import { entries, type Servers } from "./entries.ts";
import { checkRatio } from "./gates.ts";
import { startPostgres, startRedis } from "./packages.ts";
import { measureInRounds, type OpenContender, type Values } from "./rounds.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "9" }, only: { type: "string", default: "" } },
});
const rounds = Number(values.rounds);

/** Whether a commit waits for the disk. Otherwise both servers have written to the operating system: a power failure may lose jobs, a killed server does not. */
const parts: Readonly<Record<string, { readonly fsync: boolean; readonly title: string }>> = {
  cached: { fsync: false, title: "PostgreSQL without fsync, Redis with an append-only file without fsync" },
  flushed: { fsync: true, title: "PostgreSQL with fsync, Redis with `appendfsync always`" },
};

const openAll = async (
  servers: Servers,
  options: { readonly latency: boolean },
): Promise<readonly OpenContender[]> => {
  const opened: OpenContender[] = [];
  for (const { name, done, open } of entries)
    opened.push({ name, done, contender: await open(servers, options) });
  return opened;
};

const closeAll = async (opened: readonly OpenContender[]): Promise<void> => {
  for (const { contender } of opened) await contender[Symbol.asyncDispose]();
};

const isChosen = ({ name }: Case): boolean => name.startsWith(values.only);

const digitsOf = (unit: Case["unit"]): number => (unit === "ms" ? 1 : 0);

const measure = async (
  cases: readonly Case[],
  opened: readonly OpenContender[],
  part: string,
): Promise<void> => {
  for (const each of cases.filter(isChosen)) {
    for (const [row, samples] of await measureInRounds(each, opened, rounds)) {
      const cell = ({ name }: OpenContender): string =>
        formatEstimate(estimate(samples.get(name) ?? []), digitsOf(each.unit));
      printTable([`${row}, ${each.unit}`, ...opened.map(({ name }) => name)], [["", ...opened.map(cell)]]);
      checkRow({ part, row, unit: each.unit }, opened, samples);
    }
  }
};

/** Compares each peer with the framework's contender that treats done jobs the same way. */
const checkRow = (
  row: { readonly part: string; readonly row: string; readonly unit: Case["unit"] },
  opened: readonly OpenContender[],
  samples: Values,
): void => {
  for (const peer of opened.filter(({ name }) => !name.startsWith("jobs"))) {
    const own = opened.find(({ name, done }) => name.startsWith("jobs") && done === peer.done);
    const ours = samples.get(own?.name ?? "") ?? [];
    const theirs = samples.get(peer.name) ?? [];
    const ratios = ours.map((value, at) => {
      const other = theirs[at] ?? NaN;
      return row.unit === "ms" ? other / value : value / other;
    });
    checkRatio({ ...row, peer: peer.name }, estimate(ratios));
  }
  console.log("");
};

const selectedParts = selectParts(parts, positionals);
printTitle(
  `Jobs compared with peers, medians of ${rounds} rounds with 95 % intervals; above 1 the framework is faster`,
);
for (const [name, part] of selectedParts) {
  console.log(`### ${name}: ${part.title}\n`);
  const { fsync } = part;
  await using postgres = await startPostgres({ fsync });
  await using redis = await startRedis({
    durable: true,
    settings: { appendfsync: fsync ? "always" : "no" },
  });
  const servers = { postgres: postgres.url, redis: redis.url };
  const throughputContenders = await openAll(servers, { latency: false });
  await measure(throughput, throughputContenders, name);
  await closeAll(throughputContenders);
  const latencyContenders = await openAll(servers, { latency: true });
  await measure([latency], latencyContenders, name);
  await closeAll(latencyContenders);
}
