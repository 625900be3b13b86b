import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { DevtoolsConfig, devtoolsErrors } from "./index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

test("the README's table has every option with its default", () => {
  const [table = ""] = /\| `DevtoolsConfig`[^]*?\n\n/.exec(readme) ?? [];
  const rows = [...table.matchAll(/^\| `(\w+)` +\|.*\| `(.*)` +\|$/gm)];
  expect(Object.fromEntries(rows.map(([, name = "", value = ""]) => [name, JSON.parse(value)]))).toEqual(
    DevtoolsConfig.of(),
  );
});

test("the README's table of errors has the texts of the catalogue", () => {
  const rows = [...readme.matchAll(/^\| `(DEVTOOLS_\w+)` +\| (.*?) +\| (.*?) +\|$/gm)];
  expect(
    Object.fromEntries(rows.map(([, code = "", summary, action]) => [code, { summary, action }])),
  ).toEqual(devtoolsErrors);
});
