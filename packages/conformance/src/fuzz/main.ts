import { parseArgs } from "node:util";
import type { Traffic } from "./traffic.ts";
import { fuzzLane, type LaneCount, emptyCount, replay } from "./fuzz-lane.ts";
import { lanes } from "./lanes.ts";

const USAGE = `usage: fuzz [--minutes 1] [--seed 1] [--lane "fast and node"] | fuzz --replay '{"pieces":["GET / HTTP/1.1\\r\\n\\r\\n"]}'`;
const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string" },
    lane: { type: "string" },
    replay: { type: "string" },
  },
});
const seconds = Number(values.minutes) * 60;
const seed = values.seed === undefined ? Math.trunc(Math.random() * 2 ** 31) : Number(values.seed);
const chosen = lanes.filter(({ name }) => values.lane === undefined || values.lane === name);
if (!(seconds > 0) || !Number.isInteger(seed) || chosen.length === 0) throw new Error(USAGE);

const start = performance.now();
const elapsed = (): number => (performance.now() - start) / 1000;

const row = ([name, { connections, messages, bytes, differences, accepted }]: [
  string,
  LaneCount,
]): string => {
  const explained = [...accepted].map(([reason, times]) => `${times} "${reason}"`).join(", ") || "none";
  return `  ${name}: ${connections} connections, ${messages} whole messages, ${(bytes / 2 ** 20).toFixed(1)} MiB, ${differences} differences; explained: ${explained}`;
};

const fuzz = async (): Promise<number> => {
  const counts = new Map(chosen.map(({ name }) => [name, emptyCount()]));
  const heap = (): string => `${(process.memoryUsage().heapUsed / 2 ** 20).toFixed(0)} MiB of heap`;
  const summary = (): string =>
    [`seed ${seed}, ${elapsed().toFixed(0)} s, ${heap()}`, ...[...counts].map(row)].join("\n");
  console.log(`seed ${seed}, ${seconds} s, Node ${process.version}`);
  const progress = setInterval(() => console.log(summary()), 60_000);
  const hasTimedOut = (): boolean => elapsed() > seconds;
  await Promise.all(
    chosen.map((lane) => {
      const count = counts.get(lane.name) ?? emptyCount();
      return fuzzLane(lane, { seed, count, hasTimedOut, report: (text) => console.log(text) });
    }),
  );
  clearInterval(progress);
  console.log(summary());
  return [...counts.values()].reduce((sum, { differences }) => sum + differences, 0);
};

const runReplay = async (text: string): Promise<number> => {
  const failures = await replay(chosen, JSON.parse(text) as Traffic);
  for (const [lane, error] of failures)
    console.log(`${lane}: ${error instanceof Error ? error.message : String(error)}\n`);
  return failures.size;
};

const total = await (values.replay === undefined ? fuzz() : runReplay(values.replay));
console.log(`${total} differences`);
process.exitCode = total === 0 ? 0 : 1;
