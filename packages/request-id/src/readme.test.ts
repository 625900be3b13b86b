import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { RequestIdConfig } from "./index.ts";

test("the README's table has every option with its default", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [options = ""] = readme.split("## Errors");
  const [, ...rows] = [...options.matchAll(/^\| `(\w+)` +\|.*\| (.*?) +\|$/gm)].map(
    ([, name = "", value = ""]) => [name, value],
  );
  const { createId, ...plain } = RequestIdConfig.of();
  const expected = Object.entries(plain).map(([name, value]) => [name, `\`${JSON.stringify(value)}\``]);
  expect(rows).toEqual([...expected, ["createId", "a UUID v4"]]);
  expect(createId()).toMatch(/^[\da-f]{8}-[\da-f]{4}-4/);
});
