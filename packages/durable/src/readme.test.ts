import { globSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { DurableConfig } from "./index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const under = (heading: string): string => readme.split(`## ${heading}\n\n`)[1]?.split("\n\n")[0] ?? "";
const sources = globSync("**/*.ts", { cwd: import.meta.dirname }).filter(
  (path) => !/\.test(-kit|-program|-d)?\.ts$/.test(path),
);
const textOf = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

test("the README has every option with its default", () => {
  const rows = [...under("Options").matchAll(/^\| `(\w+)` +\|.*\| (\S.*?) +\|$/gm)]
    .filter(([, name]) => name !== "DurableConfig")
    .map(([, name, value]) => [name, value?.replaceAll("`", "")]);
  const defaults = Object.entries({
    ...DurableConfig.of(),
    migrateAtStart: "true, false in production",
    admin: "none",
  });
  const documented = Object.fromEntries(rows) as Record<string, string>;
  for (const [name, value] of defaults) expect([name, documented[name]]).toEqual([name, String(value)]);
  expect(Object.keys(documented)).toHaveLength(defaults.length);
});

test("the README names every metric", () => {
  const texts = sources.map(textOf).join("");
  const named = [...texts.matchAll(/name: "(durable_\w+)"/g)].map(([, name = ""]) => name);
  const counted = [...texts.matchAll(/count\(\s*"(\w+)"/g)].map(([, name]) => `durable_${name}_total`);
  expect(named.length + counted.length).toBeGreaterThan(5);
  for (const name of [...named, ...counted]) expect(readme).toContain(name);
});
