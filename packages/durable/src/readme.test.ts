import { globSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { DurableConfig, durableErrors } from "./index.ts";

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

test("the README's error codes and their text are those of the package, and each is thrown", () => {
  const rows = [...under("Errors").matchAll(/^\| `(DURABLE_\w+)` +\| (.*?) +\| (.*?) +\|$/gm)];
  const documented = rows.map(([, code, summary, action]) => [code, { summary, action }]);
  const known = Object.entries(durableErrors).map(([code, { status, summary, action }]) => [
    code,
    { summary: status === undefined ? summary : `${status}: ${summary}`, action },
  ]);
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(known));
  const texts = sources
    .filter((path) => path !== "error-codes.ts")
    .map(textOf)
    .join("");
  const thrown = new Set([...texts.matchAll(/"(DURABLE_\w+)"/g)].map(([, code]) => code));
  expect(thrown).toEqual(new Set(Object.keys(durableErrors)));
});

test("the README names every metric", () => {
  const texts = sources.map(textOf).join("");
  const named = [...texts.matchAll(/name: "(durable_\w+)"/g)].map(([, name = ""]) => name);
  const counted = [...texts.matchAll(/count\(\s*"(\w+)"/g)].map(([, name]) => `durable_${name}_total`);
  expect(named.length + counted.length).toBeGreaterThan(5);
  for (const name of [...named, ...counted]) expect(readme).toContain(name);
});

test("the README's table of failures names files that exist", () => {
  const files = [...under("What happens when … dies").matchAll(/`([\w-]+\.(?:int\.)?test(?:-kit)?\.ts)`/g)];
  const present = globSync("**/*.ts", { cwd: import.meta.dirname }).map((path) => path.split("/").at(-1));
  expect(files.length).toBeGreaterThan(8);
  for (const [, file] of files) expect(present).toContain(file);
});
