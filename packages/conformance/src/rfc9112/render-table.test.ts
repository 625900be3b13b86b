import { globSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { renderTable, rowsOf } from "./render-table.ts";
import { requirements } from "./requirements.ts";
import { wireTables } from "./suite.ts";

const folder = import.meta.dirname;
const sources = globSync("../**/*.ts", { cwd: folder })
  .filter((file) => !file.endsWith("requirements.ts"))
  .map((file) => readFileSync(`${folder}/${file}`, "utf8"))
  .join("\n")
  .replaceAll(/\(\s+/g, "(");

test("every row of the wire tables belongs to a requirement", () => {
  const selected = new Set(requirements.flatMap((each) => [...rowsOf(each).values()].flat()));
  const unused = wireTables.flatMap(({ title, rows }) =>
    rows.filter((row) => !selected.has(row)).map(({ name }) => `${title}: ${name}`),
  );
  expect(unused).toEqual([]);
});

test("every requirement names existing rows or tests", () => {
  for (const requirement of requirements) {
    const { text, rows = [], tests = [] } = requirement;
    expect([text, rows.length + tests.length]).not.toEqual([text, 0]);
    for (const [title, found] of rowsOf(requirement))
      expect([text, title, found.length]).not.toEqual([text, title, 0]);
    const missing = tests.filter((name) => ![`"${name}"`, `\`${name}\``].some((literal) => isTest(literal)));
    expect([text, missing]).toEqual([text, []]);
  }
});

const isTest = (literal: string): boolean => sources.includes(`(${literal}`);

test("the page matches the requirements", () => {
  const page = readFileSync(`${folder}/../../RFC9112.md`, "utf8");
  expect(plain(page)).toBe(plain(renderTable()));
});

/** Removes the formatter's changes to a table. */
const plain = (markdown: string): string =>
  markdown.replaceAll(/ {2,}/g, " ").replaceAll(/-{3,}/g, "---").trim();
