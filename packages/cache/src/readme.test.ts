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
