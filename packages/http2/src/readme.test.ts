import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { Http2Config } from "./http2-config.ts";
import { Http2Totals } from "./totals.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

test("the README's table has every option with its default", () => {
  const rows = [...readme.matchAll(/^\| `(\w+)` +\|.*\| `(.*)` +\|$/gm)];
  const defaults = rows.map(([, name = "", value = ""]) => [name, JSON.parse(value) as unknown]);
  expect(Object.fromEntries(defaults)).toEqual(Http2Config.of());
});

test("the README lists every metric", () => {
  const names = [...readme.matchAll(/^\| `(http2_\w+)` +\| (\w+) +\|/gm)].map(([, name, type]) => [
    name,
    type,
  ]);
  expect(names).toEqual(new Http2Totals().metrics().map(({ name, type }) => [name, type]));
});
