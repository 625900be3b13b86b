import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { FLUSH_MS } from "./flush-timer.ts";
import { PrometheusConfig } from "./index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

test("the README's table has every option with its default", () => {
  const rows = [...readme.matchAll(/^\| `(\w+)` +\|.*\| (?:`(.*)`|unset) +\|$/gm)];
  const defaults = rows.map(([, name = "", value]) => [
    name,
    value === undefined ? undefined : (JSON.parse(value) as unknown),
  ]);
  expect(Object.fromEntries(defaults)).toEqual(PrometheusConfig.of());
  expect(rows.map(([, name]) => name)).toEqual(Object.keys(PrometheusConfig.of()));
});

test("the README states how much a killed worker loses", () => {
  expect(readme).toContain(`${FLUSH_MS} ms`);
});
