import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { CircuitBreakerConfig } from "./index.ts";

test("the README's table has every option with its default", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const options = readme.slice(readme.indexOf("## Options"), readme.indexOf("## Metrics"));
  const rows = [...options.matchAll(/^\| `(\w+)` +\|.*\| (?:`(.+)`|–) +\|$/gm)];
  const defaults = rows.map(([, name = "", value]) => [
    name,
    value === undefined ? undefined : JSON.parse(value),
  ]);
  expect(Object.fromEntries(defaults)).toStrictEqual({ ...CircuitBreakerConfig.of() });
});
