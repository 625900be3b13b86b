import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { defaultCost } from "./basic/scrypt-cost.ts";
import { JwtConfig } from "./index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

/** Returns the rows of the table whose header begins with a cell. */
const rowsOf = (head: string): Record<string, string> => {
  const [, table = ""] = readme.split(`| ${head} `);
  const rows = (table.split("\n\n")[0] ?? "")
    .trimEnd()
    .split("\n")
    .slice(2)
    .map((row) => row.split("|").map((cell) => cell.trim()));
  return Object.fromEntries(rows.map((cells) => [(cells[1] ?? "").replaceAll("`", ""), cells.at(-2) ?? ""]));
};

test("the README's table has every field of JwtConfig with its default", () => {
  const defaults = Object.entries(JwtConfig.of()).map(([name, value]) => [
    name,
    value === undefined ? "–" : `\`${JSON.stringify(value)}\``,
  ]);
  expect(rowsOf("`JwtConfig`")).toEqual(Object.fromEntries(defaults));
});

test("the README's table has the cost of a hash", () => {
  const cost = Object.entries(defaultCost).map(([name, value]) => [name, `\`${value}\``]);
  expect(rowsOf("Cost")).toEqual(Object.fromEntries(cost));
});
