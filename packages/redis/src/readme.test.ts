import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { RedisConfig } from "./index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const tableUnder = (heading: string): string => readme.split(`## ${heading}\n\n`)[1]?.split("\n\n")[0] ?? "";

test("the README's table has every option with its default", () => {
  const rows = [...tableUnder("Options").matchAll(/^\| `(\w+)` +\|.*\| (\S.*?) +\|$/gm)].slice(1);
  const documented = rows.map(([, name = "", value = ""]) => [
    name,
    value === "–" ? undefined : (JSON.parse(value.replaceAll("`", "")) as unknown),
  ]);
  expect(Object.fromEntries(documented)).toEqual(RedisConfig.of());
  expect(documented.map(([name]) => name)).toEqual(Object.keys(RedisConfig.of()));
});

test("the README names every metric", () => {
  const source = readFileSync(new URL("./redis.ts", import.meta.url), "utf8");
  const counters = [...source.matchAll(/count\("(\w+)"/g)].map(([, name]) => `redis_${name}_total`);
  const gauges = [...source.matchAll(/gauge\("(\w+)"/g)].map(([, name]) => `redis_${name}`);
  for (const name of [...counters, ...gauges]) expect(readme).toContain(`\`${name}\``);
  expect([counters.length, gauges.length]).toEqual([3, 3]);
});
