import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { CachingConfig } from "./index.ts";

test("the README's table has every option with its default", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [table = ""] = readme.split("## Options\n\n")[1]?.split("\n\n") ?? [];
  const rows = [...table.matchAll(/^\| `(\w+)` +\|.*\| `?([^|`]*?)`? +\|$/gm)]
    .slice(1)
    .map(([, name = "", value = ""]) => [name, value] as const);
  const documented = Object.fromEntries(
    rows.map(([name, value]) => [
      name,
      value.startsWith("the ") || value.startsWith("a ") ? undefined : (JSON.parse(value) as unknown),
    ]),
  );
  expect(documented).toEqual(CachingConfig.of());
  expect(Object.keys(documented)).toEqual(Object.keys(CachingConfig.of()));
});

test("the README's error codes are those of the package", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const documented = [...readme.matchAll(/^\| `(CACHE_\w+)` +\|/gm)].map(([, code]) => code);
  const sources = [
    "caching",
    "invalidation/purges",
    "route/tags",
    "store/guarded-store",
    "route/reply-tags",
  ].map((name) => readFileSync(new URL(`./${name}.ts`, import.meta.url), "utf8"));
  const thrown = new Set(
    sources.flatMap((text) => [...text.matchAll(/"(CACHE_\w+)"/g)].map(([, code]) => code)),
  );
  expect(new Set(documented)).toEqual(thrown);
});
