import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { DeprecationConfig } from "./index.ts";

test("the README's table has every option with its default", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const options = readme.slice(readme.indexOf("## Options"), readme.indexOf("## The metric"));
  const rows = [...options.matchAll(/^\| `([a-z]\w+)` +\|.*\| (.*?) +\|$/gm)].map(([, name, value]) => [
    name,
    value,
  ]);
  const { callerOf, ...plain } = DeprecationConfig.of();
  const expected = Object.entries(plain).map(([name, value]) => [
    name,
    value === undefined ? "–" : `\`${value}\``,
  ]);
  expect(Object.fromEntries(rows)).toEqual({ ...Object.fromEntries(expected), callerOf: "see below" });
  expect(callerOf.length).toBe(1);
});
