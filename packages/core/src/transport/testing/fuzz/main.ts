import { parseArgs } from "node:util";
import { fuzzLane, type LaneCount, lanes } from "./lanes.ts";

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  options: { seconds: { type: "string", default: "60" }, seed: { type: "string" } },
});
const seconds = Number(values.seconds);
const seed = values.seed === undefined ? Math.trunc(Math.random() * 2 ** 31) : Number(values.seed);
if (!(seconds > 0) || !Number.isInteger(seed)) throw new Error("usage: fuzz [--seconds 60] [--seed 1]");

const start = performance.now();
const elapsed = (): number => (performance.now() - start) / 1000;
const counts = new Map<string, LaneCount>();
const summary = (): string => {
  const rows = [...counts].map(
    ([name, { connections, messages, differences }]) =>
      `  ${name}: ${connections} connections, ${messages} whole messages, ${differences} differences`,
  );
  return [`seed ${seed}, ${elapsed().toFixed(0)} s`, ...rows].join("\n");
};

console.log(`seed ${seed}, ${seconds} s`);
const progress = setInterval(() => console.log(summary()), 60_000);
await Promise.all(
  lanes.map((lane) => {
    const count: LaneCount = { connections: 0, messages: 0, differences: 0 };
    counts.set(lane.name, count);
    return fuzzLane(lane, seed, () => elapsed() > seconds, count, (text) => console.log(text));
  }),
);
clearInterval(progress);
console.log(summary());
const found = [...counts.values()].reduce((sum, { differences }) => sum + differences, 0);
console.log(`${found} differences`);
process.exitCode = found === 0 ? 0 : 1;
