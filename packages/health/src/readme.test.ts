import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { HealthCheckConfig } from "./index.ts";

test("the README's table has every option with its default", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const rows = [...readme.matchAll(/^\| `(\w+)` +\|.*\| (?:`(.*)`|unset) +\|$/gm)];
  const defaults = rows.map(([, name = "", value]) => [
    name,
    value === undefined ? undefined : (JSON.parse(value) as unknown),
  ]);
  expect(Object.fromEntries(defaults)).toEqual(HealthCheckConfig.of());
  expect(rows.map(([, name]) => name)).toEqual(Object.keys(HealthCheckConfig.of()));
});
