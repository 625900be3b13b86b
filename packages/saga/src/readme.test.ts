import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { SagaConfig } from "./index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const rowsUnder = (heading: string): readonly (readonly string[])[] =>
  (readme.split(`## ${heading}\n\n`)[1]?.split("\n\n")[0] ?? "")
    .split("\n")
    .slice(2)
    .map((line) => line.split(/ +\| +|^\| +| +\|$/).slice(1, -1));

test("the README has every option with its default", () => {
  const defaults = Object.entries(SagaConfig.of()).map(([name, value]) => [
    name,
    `${value as string | number | boolean | undefined}`,
  ]);
  const documented = rowsUnder("Options").map(([name = "", , initial = ""]) => [
    name.replaceAll("`", ""),
    initial === "none" ? "undefined" : initial.replaceAll("`", ""),
  ]);
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(defaults));
});
