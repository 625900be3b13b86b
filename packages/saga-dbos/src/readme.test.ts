import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { dbosErrors, DbosRunnerConfig } from "./index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const rowsUnder = (heading: string): readonly (readonly string[])[] =>
  (readme.split(`## ${heading}\n\n`)[1]?.split("\n\n")[0] ?? "")
    .trimEnd()
    .split("\n")
    .slice(2)
    .map((line) =>
      line
        .split(/ +\| +|^\| +| +\|$/)
        .slice(1, -1)
        .map((cell) => cell.replaceAll("`", "")),
    );

test("the README has every option with its default", () => {
  const defaults = Object.entries(DbosRunnerConfig.of()).map(([name, value]) => [
    name,
    String(value ?? "required"),
  ]);
  expect(rowsUnder("Options").map(([name, , initial]) => [name, initial])).toEqual(defaults);
});

test("the README has every error code", () => {
  expect(rowsUnder("Errors").map(([code]) => code)).toEqual(Object.keys(dbosErrors));
});
