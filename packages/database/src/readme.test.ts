import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { DatabaseConfig, openDatabase } from "./index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

test("the README's table has every option with its default", () => {
  const [, section = ""] = readme.split("## Configuration");
  const rows = [...section.matchAll(/^\| `(\w+)` +\| (?:`(.*?)`|–) +\|/gm)];
  const defaults = rows.map(([, name = "", value]) => [
    name,
    value === undefined ? undefined : JSON.parse(value),
  ]);
  expect(Object.fromEntries(defaults)).toEqual(DatabaseConfig.of());
});

test("every method in the README exists", async () => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  const section = readme.slice(readme.indexOf("## Statements"), readme.indexOf("## Transactions"));
  const firstCells = [...section.matchAll(/^\| (`.*?) +\|/gm)].map(([, cell = ""]) => cell);
  const names = firstCells.flatMap((cell) => [...cell.matchAll(/`(\w+)[(`]/g)].map(([, name = ""]) => name));
  expect(names).toContain("transaction");
  expect(names.filter((name) => !(name in db))).toEqual([]);
  await db.close();
});
