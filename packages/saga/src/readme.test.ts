import { globSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { SagaConfig, sagaErrors } from "./index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const rowsUnder = (heading: string): readonly (readonly string[])[] =>
  (readme.split(`## ${heading}\n\n`)[1]?.split("\n\n")[0] ?? "")
    .split("\n")
    .slice(2)
    .map((line) => line.split(/ +\| +|^\| +| +\|$/).slice(1, -1));

test("the README's error codes are those of the package, with the same text", () => {
  const documented = rowsUnder("Errors").map(([code = "", summary, action]) => [
    code.replaceAll("`", ""),
    { summary, action },
  ]);
  expect(Object.fromEntries(documented)).toEqual(sagaErrors);
});

test("the README has every option with its default", () => {
  const defaults = Object.entries(SagaConfig.of()).map(([name, value]) => [
    name,
    `${value as string | number | boolean | undefined}`,
  ]);
  const shown = rowsUnder("Options").map(([name = "", , initial = ""]) => [
    name.replaceAll("`", ""),
    initial === "none" ? "undefined" : initial.replaceAll("`", ""),
  ]);
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(defaults));
});

test("every test that the README names exists", () => {
  const files = globSync("**/*.{test-kit,test}.ts", { cwd: import.meta.dirname });
  const kits = [...files, "testing/runner-contract.ts"].map((file) => read(`./${file}`)).join("\n");
  const rows = rowsUnder("What happens when something dies").map(([, , names = ""]) => names);
  expect(rows.length).toBeGreaterThan(8);
  for (const names of rows) {
    const named = Array.from(names.matchAll(/"([^"]+)"/g), ([, name = ""]) => name);
    expect(named).not.toEqual([]);
    for (const name of named) expect(kits).toContain(name);
  }
});
